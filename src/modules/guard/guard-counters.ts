import { Injectable } from '@nestjs/common';
import { boundedCache, type Gathering, GroupCommit, ONE_TICK } from '../../platform/concurrency/index.js';
import { type RedisClient, RedisCounts, RedisLink } from '../../platform/redis/index.js';
import { prefixOf } from './destinations.js';

export const MOST_PREFIXES = 10_000;
const MOST_NUMBERS_AN_HOUR = 20_000;
const KNOWN_HOURS = 30 * 24;
/** Numbers are kept by hours, so that a bucket may be read in the hour behind it. */
const BUCKET_SECONDS = 2 * 3_600;

/** A limit of a period: `bucket` ascends with time, and a count never goes back to an earlier one. */
export interface LimitCount {
  name: string;
  bucket: number;
  amount: number;
  /** null = no limit; only counted */
  limit: number | null;
}

/** What a send adds to the counts of an account; nothing of it is counted if it is refused. */
export interface Taking {
  limits: readonly LimitCount[];
  hour: number;
  /** local day as YYYYMMDD */
  day: number;
  prefixes: readonly string[];
  newPrefixes: number | null;
  burst: number | null;
  sequential: number | null;
  /** international digits of those looked at for bursts and sequences */
  numbers: readonly string[];
}

export type FreezeReason = 'burst' | 'sequence' | 'conversion';

export type TakingOutcome =
  | { kind: 'taken' }
  | { kind: 'limit'; index: number }
  | { kind: 'new_prefixes' }
  | { kind: 'frozen'; reason: FreezeReason; prefix: string; count: number };

/**
 * Takes several sends, one after another; what one of them breaks refuses it alone. Atomic over all processes. Both keys of an
 * account have one hash tag, so that a cluster keeps them together.
 */
const TAKE = `
local most, mostNumbers, knownHours, bucketSeconds, atOnce = ${MOST_PREFIXES}, ${MOST_NUMBERS_AN_HOUR}, ${KNOWN_HOURS}, ${BUCKET_SECONDS}, 1000
local function read(text)
  local bucket, count = string.match(text or '', '^(%d+):(%d+)$')
  return tonumber(bucket) or 0, tonumber(count) or 0
end
local function parts(list, work)
  for from = 1, #list, atOnce do work(from, math.min(from + atOnce - 1, #list)) end
end
local function densest(near, x, distance)
  local from, to, found = 1, 1, 0
  for _, text in ipairs(near) do
    local at = tonumber(text)
    if math.abs(at - x) <= distance then
      while tonumber(near[from]) < at - distance do from = from + 1 end
      while near[to] and tonumber(near[to]) <= at + distance do to = to + 1 end
      found = math.max(found, to - from)
    end
  end
  return found
end
local function take(counts, seen, hour, day, newPrefixes, burst, sequential, limits, prefixes, numbers)
  local fields, known, set, renewed = {'new'}, {}, {}, false
  for _, c in ipairs(limits) do fields[#fields + 1] = c[1] end
  for _, p in ipairs(prefixes) do fields[#fields + 1] = 'p' .. p end
  parts(fields, function(from, to)
    for i, text in ipairs(redis.call('HMGET', counts, unpack(fields, from, to))) do known[fields[from + i - 1]] = text end
  end)
  local function add(field, wanted, amount, limit)
    local bucket, count = read(known[field])
    if wanted > bucket then bucket, count, renewed = wanted, 0, true end
    if limit >= 0 and amount > 0 and count + amount > limit then return false end
    set[#set + 1] = field
    set[#set + 1] = string.format('%.0f:%.0f', bucket, count + amount)
    return true
  end
  for i, c in ipairs(limits) do
    if not add(c[1], c[2], c[3], c[4]) then return {'limit', i - 1} end
  end
  local new, size, fresh = {}, nil, 0
  for _, p in ipairs(prefixes) do
    local first, last = read(known['p' .. p])
    local mark = first > 0 and last < hour
    if first == 0 then
      size = size or redis.call('HLEN', counts)
      mark = size + fresh < most
      if mark then first, fresh = hour, fresh + 1 end
    end
    if mark then
      set[#set + 1] = 'p' .. p
      set[#set + 1] = string.format('%.0f:%.0f', first, hour)
      renewed = true
    end
    new[p] = first == hour
  end
  if fresh > 0 and not add('new', day, fresh, newPrefixes) then return {'new_prefixes'} end
  if #numbers > 0 then
    local before = redis.call('ZCARD', seen)
    if before < mostNumbers then
      local scored = {}
      for _, n in ipairs(numbers) do scored[#scored + 1] = n; scored[#scored + 1] = n end
      parts(scored, function(from, to) redis.call('ZADD', seen, unpack(scored, from, to)) end)
      if before == 0 then redis.call('EXPIRE', seen, bucketSeconds) end
    end
    for _, n in ipairs(numbers) do
      local p = string.sub(n, 1, -5)
      if burst >= 0 and new[p] then
        local count = redis.call('ZCOUNT', seen, p .. '0000', p .. '9999')
        if count > burst then return {'frozen', 'burst', p, count} end
      end
      if sequential >= 0 then
        local x, far = tonumber(n), 2 * sequential
        local from, to = string.format('%.0f', x - far), string.format('%.0f', x + far)
        if redis.call('ZCOUNT', seen, from, to) > sequential then
          local count = densest(redis.call('ZRANGEBYSCORE', seen, from, to), x, sequential)
          if count > sequential then return {'frozen', 'sequence', p, count} end
        end
      end
    end
  end
  parts(set, function(from, to) redis.call('HSET', counts, unpack(set, from, to)) end)
  if size and size + fresh >= most and read(redis.call('HGET', counts, 'pruned')) < hour then
    local all = redis.call('HGETALL', counts)
    for i = 1, #all, 2 do
      local _, last = read(all[i + 1])
      if string.sub(all[i], 1, 1) == 'p' and last > 0 and last < hour - knownHours then redis.call('HDEL', counts, all[i]) end
    end
    redis.call('HSET', counts, 'pruned', string.format('%.0f:%.0f', hour, hour))
  end
  if renewed then redis.call('EXPIRE', counts, knownHours * 3600) end
  return {'taken'}
end
local outcomes = {}
for i, taking in ipairs(cjson.decode(ARGV[1])) do outcomes[i] = take(KEYS[2 * i - 1], KEYS[2 * i], unpack(taking)) end
return outcomes`;

/** Takes counts back, as far as their periods have not ended. */
const GIVE_BACK = `
for _, c in ipairs(cjson.decode(ARGV[1])) do
  local stored = redis.call('HGET', KEYS[1], c[1])
  local bucket, count = string.match(stored or '', '^(%d+):(%d+)$')
  if bucket and tonumber(bucket) == c[2] then
    redis.call('HSET', KEYS[1], c[1], string.format('%s:%.0f', bucket, math.max(0, tonumber(count) - c[3])))
  end
end
return 1`;

/** Makes a released prefix one that has been used before, without numbers in this hour. */
const FORGIVE = `
redis.call('ZREMRANGEBYSCORE', KEYS[2], ARGV[1] .. '0000', ARGV[1] .. '9999')
redis.call('HSET', KEYS[1], 'p' .. ARGV[1], (ARGV[2] - 1) .. ':' .. ARGV[2])
return 1`;

const CONVERT = `
if redis.call('HLEN', KEYS[1]) > tonumber(ARGV[3]) then return {0, 0} end
local started = redis.call('HINCRBY', KEYS[1], ARGV[1] .. ':started', ARGV[2] == 'started' and 1 or 0)
local succeeded = redis.call('HINCRBY', KEYS[1], ARGV[1] .. ':succeeded', ARGV[2] == 'succeeded' and 1 or 0)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return {started, succeeded}`;

type Scripted = RedisClient & {
  guardTake(keys: number, ...keysAndTakings: string[]): Promise<[string, ...unknown[]][]>;
  guardGiveBack(counts: string, limits: string): Promise<number>;
  guardForgive(counts: string, numbers: string, prefix: string, hour: number): Promise<number>;
  guardConvert(key: string, prefix: string, what: string, most: number, seconds: number): Promise<[number, number]>;
};

export interface Conversion {
  started: number;
  succeeded: number;
}

interface CountedSend {
  accountId: number;
  taking: Taking;
}

const GATHERED: Gathering<CountedSend> = {
  ...ONE_TICK,
  weigh: ({ taking: { prefixes, numbers } }) => 1 + prefixes.length + numbers.length,
};

/** A taking as its script reads it. */
const scripted = ({ hour, day, newPrefixes, burst, sequential, limits, prefixes, numbers }: Taking): unknown[] => [
  ...[hour, day, newPrefixes ?? -1, burst ?? -1, sequential ?? -1],
  limits.map(({ name, bucket, amount, limit }) => [name, bucket, amount, limit ?? -1]),
  prefixes,
  numbers,
];

/** Counts of guarded accounts in Redis, or in this process while it is away; calls never fail. */
@Injectable()
export class GuardCounters {
  private readonly local = new LocalCounters();
  private readonly redis: Scripted;
  private readonly shared: RedisCounts;
  /** Sends of one tick of the event loop are one command. */
  private readonly takings = new GroupCommit<CountedSend, TakingOutcome>((items) => this.takeAll(items), GATHERED);

  constructor(private readonly link: RedisLink) {
    link.client.defineCommand('guardTake', { lua: TAKE });
    link.client.defineCommand('guardGiveBack', { numberOfKeys: 1, lua: GIVE_BACK });
    link.client.defineCommand('guardForgive', { numberOfKeys: 2, lua: FORGIVE });
    link.client.defineCommand('guardConvert', { numberOfKeys: 1, lua: CONVERT });
    this.redis = link.client as Scripted;
    this.shared = new RedisCounts(link, true);
  }

  /** Counts all of a send, or nothing if one of its rules refuses it. */
  take(accountId: number, taking: Taking): Promise<TakingOutcome> {
    return this.takings.add({ accountId, taking });
  }

  private async takeAll(items: readonly CountedSend[]): Promise<TakingOutcome[]> {
    // A command to a cluster has keys of one account.
    const answers = this.link.client.isCluster
      ? (await Promise.all(items.map((item) => this.asked([item])))).flat()
      : await this.asked(items);
    return items.map(({ accountId, taking }, index) => {
      const answer = answers[index];
      return answer ? outcomeOf(answer) : this.local.take(accountId, taking);
    });
  }

  private async asked(items: readonly CountedSend[]): Promise<([string, ...unknown[]] | null)[]> {
    const keys = items.flatMap(({ accountId, taking }) => this.keys(accountId, taking.hour));
    const text = JSON.stringify(items.map(({ taking }) => scripted(taking)));
    const answers = await this.shared.ask(() => this.redis.guardTake(keys.length, ...keys, text));
    return answers ?? items.map(() => null);
  }

  async giveBack(accountId: number, limits: readonly LimitCount[]): Promise<void> {
    const [counts] = this.keys(accountId, 0);
    const text = JSON.stringify(limits.map(({ name, bucket, amount }) => [name, bucket, amount]));
    if ((await this.shared.ask(() => this.redis.guardGiveBack(counts, text))) === null)
      this.local.giveBack(accountId, limits);
  }

  /** Counts of an account by the names of its limits; those of ended periods are 0. */
  async counts(accountId: number, limits: readonly LimitCount[]): Promise<number[]> {
    if (limits.length === 0) return [];
    const names = limits.map(({ name }) => name);
    const [counts] = this.keys(accountId, 0);
    const stored = await this.shared.ask(() => this.redis.hmget(counts, ...names));
    return limits.map((limit, index) => {
      const text = stored ? stored[index] : this.local.stored(accountId, limit.name);
      const [bucket, count] = (text ?? '0:0').split(':').map(Number);
      return bucket !== undefined && bucket >= limit.bucket ? (count ?? 0) : 0;
    });
  }

  /** After a release: the prefix counts as used before. */
  async forgive(accountId: number, prefix: string, hour: number): Promise<void> {
    this.local.forget(accountId);
    const [counts, numbers] = this.keys(accountId, hour);
    await this.shared.ask(() => this.redis.guardForgive(counts, numbers, prefix, hour));
    await this.shared.ask(() =>
      this.redis.hdel(this.conversionsKey(accountId, hour), `${prefix}:started`, `${prefix}:succeeded`),
    );
  }

  /** Counts one of a prefix in this hour. @returns the counts; null while Redis is away */
  async convert(accountId: number, prefix: string, what: keyof Conversion, hour: number): Promise<Conversion | null> {
    const key = this.conversionsKey(accountId, hour);
    const answer = await this.shared.ask(() =>
      this.redis.guardConvert(key, prefix, what, 2 * MOST_PREFIXES, BUCKET_SECONDS),
    );
    return answer && { started: answer[0], succeeded: answer[1] };
  }

  private keys(accountId: number, hour: number): [counts: string, numbers: string] {
    const key = `${this.link.prefix}:guard:{${accountId}}`;
    return [key, `${key}:${hour}`];
  }

  private conversionsKey(accountId: number, hour: number): string {
    return `${this.link.prefix}:guard:{${accountId}}:conversions:${hour}`;
  }
}

function outcomeOf([kind, first, second, third]: [string, ...unknown[]]): TakingOutcome {
  if (kind === 'limit') return { kind, index: Number(first) };
  if (kind === 'new_prefixes') return { kind };
  if (kind !== 'frozen') return { kind: 'taken' };
  return { kind, reason: first as FreezeReason, prefix: String(second), count: Number(third) };
}

interface LocalAccount {
  counts: Map<string, string>;
  /** hour of the first use */
  prefixes: Map<string, number>;
  hour: number;
  numbers: Set<number>;
  byPrefix: Map<string, number>;
}

const MOST_ACCOUNTS = 1_000;

/** The same rules in this process, while Redis is away: each process counts for itself. */
class LocalCounters {
  private readonly accounts = boundedCache<number, LocalAccount>(MOST_ACCOUNTS);

  take(
    accountId: number,
    { limits, hour, day, prefixes, newPrefixes, burst, sequential, numbers }: Taking,
  ): TakingOutcome {
    const account = this.of(accountId, hour);
    const counted = new Map<string, string>();
    const add = ({ name, bucket, amount, limit }: LimitCount): boolean => {
      const [known = 0, count = 0] = (account.counts.get(name) ?? '0:0').split(':').map(Number);
      const sum = (bucket > known ? 0 : count) + amount;
      counted.set(name, `${Math.max(bucket, known)}:${sum}`);
      return limit === null || amount === 0 || sum <= limit;
    };
    for (const [index, limit] of limits.entries()) if (!add(limit)) return { kind: 'limit', index };
    const fresh = prefixes
      .filter((prefix) => !account.prefixes.has(prefix))
      .slice(0, MOST_PREFIXES - account.prefixes.size);
    if (!add({ name: 'new', bucket: day, amount: fresh.length, limit: newPrefixes })) return { kind: 'new_prefixes' };
    for (const number of numbers) this.addNumber(account, number);
    const newNow = new Set(fresh);
    for (const number of numbers) {
      const prefix = prefixOf(number);
      const count = account.byPrefix.get(prefix) ?? 0;
      const isNew = newNow.has(prefix) || account.prefixes.get(prefix) === hour;
      if (burst !== null && isNew && count > burst) return { kind: 'frozen', reason: 'burst', prefix, count };
      const beside = sequential === null ? 0 : densest(account.numbers, Number(number), sequential);
      if (sequential !== null && beside > sequential)
        return { kind: 'frozen', reason: 'sequence', prefix, count: beside };
    }
    for (const [name, text] of counted) account.counts.set(name, text);
    for (const prefix of fresh) account.prefixes.set(prefix, hour);
    return { kind: 'taken' };
  }

  giveBack(accountId: number, limits: readonly LimitCount[]): void {
    const account = this.accounts.get(accountId);
    for (const { name, bucket, amount } of limits) {
      const [known, count = 0] = (account?.counts.get(name) ?? '').split(':').map(Number);
      if (known === bucket) account?.counts.set(name, `${bucket}:${Math.max(0, count - amount)}`);
    }
  }

  stored(accountId: number, name: string): string | null {
    return this.accounts.get(accountId)?.counts.get(name) ?? null;
  }

  /** Forgets numbers and prefixes, but no counts. */
  forget(accountId: number): void {
    const account = this.accounts.get(accountId);
    if (!account) return;
    account.numbers.clear();
    account.byPrefix.clear();
    for (const [prefix] of account.prefixes) account.prefixes.set(prefix, 0);
  }

  private of(accountId: number, hour: number): LocalAccount {
    let account = this.accounts.get(accountId);
    if (!account) {
      account = { counts: new Map(), prefixes: new Map(), hour, numbers: new Set(), byPrefix: new Map() };
      this.accounts.set(accountId, account);
    }
    if (account.hour !== hour) Object.assign(account, { hour, numbers: new Set(), byPrefix: new Map() });
    return account;
  }

  private addNumber({ numbers, byPrefix }: LocalAccount, number: string): void {
    const value = Number(number);
    if (numbers.has(value) || numbers.size >= MOST_NUMBERS_AN_HOUR) return;
    numbers.add(value);
    byPrefix.set(prefixOf(number), (byPrefix.get(prefixOf(number)) ?? 0) + 1);
  }
}

/** The most numbers of the set that are at most `distance` away from one that is so near to `x`, itself included. */
function densest(numbers: ReadonlySet<number>, x: number, distance: number): number {
  let [count, most] = [0, 0];
  for (let to = x - 2 * distance; to <= x + 2 * distance; to++) {
    if (numbers.has(to)) count += 1;
    const center = to - distance;
    if (center < x - distance) continue;
    if (numbers.has(center)) most = Math.max(most, count);
    if (numbers.has(center - distance)) count -= 1;
  }
  return most;
}
