// SPDX-License-Identifier: Apache-2.0
// Calls weir through node-redis and ioredis, alone and in pipelines: node clients.mjs MODULES HOST PORT.
// Prints one JSON object: what each client was answered.
import { createRequire } from 'node:module';

const [modules, host, port] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { createClient } = require('redis');
const Redis = require('ioredis');

const burst = (name) => ['CL.THROTTLE', name, '4', '1', '3600'];

async function nodeRedis() {
  const client = createClient({ socket: { host, port: Number(port) } });
  client.on('error', (error) => { throw error; });
  await client.connect();
  const first = await client.sendCommand(['CL.THROTTLE', 'node-redis', '15', '30', '60']);
  const second = await client.sendCommand(['CL.THROTTLE', 'node-redis', '15', '30', '60', '1']);
  // Commands of one turn of the event loop are written as one pipeline.
  const pipeline = await Promise.all(
    Array.from({ length: 10 }, () => client.sendCommand(burst('node-redis burst'))));
  const error = await client.sendCommand(['CL.THROTTLE', 'k']).then(() => null, (e) => e.message);
  await client.quit();
  return { first, second, limited: pipeline.map((reply) => reply[0]), error };
}

async function ioredis() {
  const client = new Redis({ host, port: Number(port), maxRetriesPerRequest: 0 });
  const first = await client.call('CL.THROTTLE', 'ioredis', 15, 30, 60);
  const second = await client.call('CL.THROTTLE', 'ioredis', 15, 30, 60, 1);
  const pipeline = client.pipeline();
  for (let i = 0; i < 10; ++i) pipeline.call(...burst('ioredis burst'));
  const limited = (await pipeline.exec()).map(([failed, reply]) => (failed ? failed.message : reply[0]));
  const error = await client.call('CL.THROTTLE', 'k').then(() => null, (e) => e.message);
  await client.quit();
  return { first, second, limited, error };
}

console.log(JSON.stringify({ 'node-redis': await nodeRedis(), ioredis: await ioredis() }));
