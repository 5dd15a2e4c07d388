import { randomBytes } from 'node:crypto';
import type { TestingModule } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { SlotOwners, type WorkerQueues } from '../../src/modules/engine/dispatch/job-routing.js';
import { RouteDirectory, RouteHealthBoard } from '../../src/modules/providers/index.js';
import type { Environment } from '../../src/platform/config/index.js';
import { firstJob, HolderJobs } from '../../src/platform/queues/index.js';
import { RedisClients, RedisLink } from '../../src/platform/redis/index.js';
import { numbersEnding } from '../support/client.js';
import { CountingSmsc } from '../support/counting-smsc.js';
import { requireVariable } from '../support/database.js';
import { Gateway } from '../support/gateway.js';
import { type Member, openSms, type Sms } from '../support/sms.js';
import { startWorker } from '../support/worker.js';

const PATIENCE = { timeout: 60_000, interval: 5 };

describe('the home of a route', () => {
  const PACED = 7;
  const single = firstJob({ routeId: PACED, single: true });
  const environment = {
    REDIS_URL: requireVariable('REDIS_URL'),
    REDIS_PREFIX: `homes-${randomBytes(4).toString('hex')}`,
  } as Environment;
  const open: { onApplicationShutdown(): void }[] = [];
  afterEach(() => open.splice(0).forEach((one) => one.onApplicationShutdown()));

  /** What a worker has of it, and the turns that it took. */
  const worker = async (name: string, ...names: string[]) => {
    const clients = new RedisClients(environment);
    const redis = new RedisLink(environment, clients);
    await redis.onModuleInit();
    const jobs = new HolderJobs(environment, clients, redis);
    const taken: unknown[] = [];
    jobs.listen(name, (...turn) => {
      taken.push(turn);
      return Promise.resolve();
    });
    open.push(jobs, redis, clients);
    const routes = { byId: (id: number) => Promise.resolve({ id, messagesPerSecond: id === PACED ? 100 : null }) };
    const owners = new SlotOwners(
      redis,
      jobs,
      routes as RouteDirectory,
      { worker: name } as RouteHealthBoard,
      { names } as WorkerQueues,
    );
    return { homes: owners, turns: jobs, taken };
  };

  it('is handed single jobs of channels that it serves, and no others', async () => {
    const [owner, other] = [await worker('home:1', 'sms', 'chat'), await worker('other:2', 'sms', 'voice')];
    expect(await other.homes.handOn('sms', single)).toBe(false);
    owner.homes.publish(PACED, 60_000);
    expect([owner.homes.isOwner(PACED), other.homes.isOwner(PACED)]).toEqual([true, false]);
    await vi.waitFor(async () => expect(await other.homes.handOn('sms', single)).toBe(true), PATIENCE);
    await vi.waitFor(() => expect(owner.taken[0]).toEqual(['sms', single, true]), PATIENCE);
    expect(await other.homes.handOn('voice', single)).toBe(false);
    expect(await other.homes.handOn('sms', { ...single, single: false })).toBe(false);
    expect(await other.homes.handOn('sms', { ...single, routeId: 8 })).toBe(false);
    expect(await owner.homes.handOn('sms', single)).toBe(false);
  });

  it('is no longer said of a worker that stops', async () => {
    const [owner, other] = [await worker('home:3', 'sms'), await worker('other:4', 'sms')];
    owner.homes.publish(PACED, 1);
    await vi.waitFor(async () => expect(await other.homes.handOn('sms', single)).toBe(false), PATIENCE);
    owner.turns.stop();
    owner.homes.publish(PACED, 60_000);
    expect([owner.homes.isOwner(PACED), await other.homes.handOn('sms', single)]).toEqual([false, false]);
  });
});

describe('a message of one recipient over a paced route, with two workers', () => {
  const SINGLES = 12;
  /** of a campaign: it still runs at the last single message where each of them takes more than a second */
  const SECONDS = 20;
  const campaignOf = (perSecond: number): string[] => numbersEnding(SECONDS * perSecond, '001');
  let sms: Sms;
  let member: Member;
  let redis: Redis;
  let workers: TestingModule[];
  let gateway: Gateway;
  let serial = 0;

  beforeAll(async () => {
    sms = await openSms({}, { route: false });
    redis = new Redis(requireVariable('REDIS_URL'));
    gateway = await Gateway.open();
    member = await sms.join(100_000);
    workers = [await startWorker(sms.environment), await startWorker(sms.environment)];
  });
  afterAll(async () => {
    for (const worker of workers) await worker.close();
    await sms.stop();
    await gateway.close();
    await redis.quit();
  });

  const addRoute = async (name: string, messagesPerSecond: number, fields: object = {}): Promise<number> => {
    const routes = sms.part(RouteDirectory);
    const http = { driver: 'http', config: gateway.config };
    const draft = { name, channel: 'sms' as const, isDefault: false, messagesPerSecond, ...http, ...fields };
    const { id } = await sms.dataSource.transaction((tx) => routes.put(tx, draft));
    routes.forget();
    return id;
  };
  const send = async (route: string, contacts: string[]): Promise<void> => {
    const body = { broadcast_name: 'n', brodcast_service: route, contacts, message: 'hello' };
    const answer = await sms.broadcast(member, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  };
  /** @returns its number */
  const sendSingle = async (route: string): Promise<string> => {
    const to = `91876${String(++serial).padStart(7, '0')}`;
    await send(route, [to]);
    return to;
  };
  /**
   * Sends single messages at all moments of the windows of a campaign.
   * @returns how many of the campaign left between the acceptance of a single message and that message, the most last
   */
  const overtakenBy = async (route: string, perSecond: number, taken: () => readonly string[]): Promise<number[]> => {
    const overtaken: number[] = [];
    for (let index = 0; index < SINGLES; index++) {
      const begun = taken().length;
      await vi.waitUntil(() => taken().length > begun + perSecond / 5, PATIENCE);
      const to = await sendSingle(route);
      const accepted = taken().length;
      await vi.waitUntil(() => taken().includes(to), PATIENCE);
      overtaken.push(Math.max(0, taken().indexOf(to) - accepted));
    }
    return overtaken.sort((a, b) => a - b);
  };
  const homeKey = (routeId: number): string => `${sms.environment.REDIS_PREFIX}:home:${routeId}`;
  const ofGateway = (from: number) => (): string[] => gateway.taken.slice(from).map(({ to }) => to);

  it.each([40, 100])('leaves in front of a campaign paced to %i a second, at the same rate', async (perSecond) => {
    const [name, from, campaign] = [`paced-${perSecond}`, gateway.taken.length, campaignOf(perSecond)];
    await addRoute(name, perSecond);
    await send(name, campaign);
    const overtaken = await overtakenBy(name, perSecond, ofGateway(from));
    // Its turn is in the other worker half of the time, whose slots lie behind those of a window: up to all of `perSecond`.
    expect(overtaken.at(-3)).toBeLessThan(perSecond / 4);
    await vi.waitUntil(() => gateway.taken.length - from === campaign.length + SINGLES, PATIENCE);
    const taken = gateway.taken.slice(from);
    expect(new Set(taken.map(({ to }) => to)).size).toBe(taken.length);
    // Slots that were missed lately are caught up with: 150 ms at the most.
    const seconds = ((taken.at(-1)?.at ?? 0) - (taken[0]?.at ?? 0)) / 1_000;
    expect(taken.length - 1).toBeLessThanOrEqual((seconds + 0.15) * perSecond);
  });

  it('leaves so over a route with binds', async () => {
    const smsc = await CountingSmsc.open(2);
    const config = { host: '127.0.0.1', port: smsc.port, system_id: 'a', password: 'b' };
    await addRoute('bound', 40, { driver: 'smpp', config, binds: 2 });
    await vi.waitUntil(() => smsc.sessions.size === 2, PATIENCE);
    const campaign = campaignOf(40);
    await send('bound', campaign);
    expect((await overtakenBy('bound', 40, () => smsc.taken)).at(-3)).toBeLessThan(10);
    await vi.waitUntil(() => smsc.taken.length === campaign.length + SINGLES, PATIENCE);
    expect(new Set(smsc.taken).size).toBe(smsc.taken.length);
    await smsc.stop();
  });

  it('leaves when the slot owner is gone, and its job is handed on no more once that is known', async () => {
    const [id, from] = [await addRoute('left', 40), gateway.taken.length];
    const sent: string[] = [];
    const turnsOfGone = `{${sms.environment.REDIS_PREFIX}:turns}:worker:gone:1`;
    const isHandedOn = async (): Promise<boolean> => {
      await redis.set(homeKey(id), 'gone:1 sms', 'PX', 2_000);
      const to = await sendSingle('left');
      sent.push(to);
      await vi.waitUntil(() => ofGateway(from)().includes(to), PATIENCE);
      return (await redis.exists(turnsOfGone)) === 1;
    };
    // a worker that has not heard of the route's pace yet, or gets Redis's answer too late, asks for no home: the message leaves
    await vi.waitUntil(isHandedOn, PATIENCE);
    expect(await redis.exists(homeKey(id))).toBe(0);
    expect(ofGateway(from)()).toEqual(sent);
  });

  it('leaves when the slot owner stops in the middle of its batch, and nothing leaves twice', async () => {
    const [id, from, campaign] = [await addRoute('stops', 40), gateway.taken.length, numbersEnding(160, '001')];
    await send('stops', campaign);
    const owner = await vi.waitUntil(() => redis.get(homeKey(id)), PATIENCE);
    const index = workers.findIndex((worker) =>
      owner.startsWith(`${worker.get(RouteHealthBoard, { strict: false }).worker} `),
    );
    const [stopping] = workers.splice(index, 1);
    const [to] = await Promise.all([sendSingle('stops'), stopping?.close()]);
    await vi.waitUntil(() => gateway.taken.length - from === campaign.length + 1, PATIENCE);
    expect(new Set(ofGateway(from)())).toEqual(new Set([...campaign, to]));
  });
});
