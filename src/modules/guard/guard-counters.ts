import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../platform/concurrency/index.js';
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

/** Atomic over all processes. Both keys of an account have one hash tag, so that a cluster keeps them together. */
const TAKE = `
local a = cjson.decode(ARGV[1])
local counted = {}
local function read(field)
  local stored = redis.call('HGET', KEYS[1], field)
  if not stored then return 0, 0 end
  local bucket, count = string.match(stored, '^(%d+):(%d+)$')
  return tonumber(bucket), tonumber(count)
end
local function add(field, wanted, amount, limit)
  local bucket, count = read(field)
  if wanted > bucket then bucket, count = wanted, 0 end
  if limit >= 0 and amount > 0 and count + amount > limit then return false end
  counted[field] = string.format('%.0f:%.0f', bucket, count + amount)
  return true
end
for i, c in ipairs(a.limits) do
  if not add(c[1], c[2], c[3], c[4]) then return {'limit', i - 1} end
end
local marks, new, fresh = {}, {}, 0
if #a.prefixes > 0 then
  local size = redis.call('HLEN', KEYS[1])
  for _, p in ipairs(a.prefixes) do
    local first, last = read('p' .. p)
    if first == 0 then
      if size + fresh < a.most then
        fresh = fresh + 1
        first = a.hour
        marks['p' .. p] = a.hour .. ':' .. a.hour
      end
    elseif last < a.hour then
      marks['p' .. p] = first .. ':' .. a.hour
    end
    new[p] = first == a.hour
  end
  if not add('new', a.day, fresh, a.newPrefixes) then return {'new_prefixes'} end
end
if #a.numbers > 0 then
  if redis.call('ZCARD', KEYS[2]) < a.mostNumbers then
    for _, n in ipairs(a.numbers) do redis.call('ZADD', KEYS[2], n, n) end
    redis.call('EXPIRE', KEYS[2], a.bucketSeconds)
  end
  for _, n in ipairs(a.numbers) do
    local p = string.sub(n, 1, -5)
    if a.burst >= 0 and new[p] then
      local count = redis.call('ZCOUNT', KEYS[2], p .. '0000', p .. '9999')
      if count > a.burst then return {'frozen', 'burst', p, count} end
    end
    if a.sequential >= 0 then
      local x = tonumber(n)
      local count = redis.call('ZCOUNT', KEYS[2], string.format('%.0f', x - a.sequential), string.format('%.0f', x + a.sequential))
      if count > a.sequential then return {'frozen', 'sequence', p, count} end
    end
  end
end
for field, text in pairs(counted) do redis.call('HSET', KEYS[1], field, text) end
for field, text in pairs(marks) do redis.call('HSET', KEYS[1], field, text) end
if redis.call('HLEN', KEYS[1]) >= a.most and read('pruned') < a.hour then
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    local last = string.match(all[i + 1], ':(%d+)$')
    if string.sub(all[i], 1, 1) == 'p' and last and tonumber(last) < a.hour - a.knownHours then redis.call('HDEL', KEYS[1], all[i]) end
  end
  redis.call('HSET', KEYS[1], 'pruned', a.hour .. ':' .. a.hour)
end
redis.call('EXPIRE', KEYS[1], a.knownHours * 3600)
return {'taken'}`;

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
  guardTake(counts: string, numbers: string, taking: string): Promise<[string, ...unknown[]]>;
  guardGiveBack(counts: string, limits: string): Promise<number>;
  guardForgive(counts: string, numbers: string, prefix: string, hour: number): Promise<number>;
  guardConvert(key: string, prefix: string, what: string, most: number, seconds: number): Promise<[number, number]>;
};

export interface Conversion {
  started: number;
  succeeded: number;
}

/** Counts of guarded accounts in Redis, or in this process while it is away; calls never fail. */
@Injectable()
export class GuardCounters {
  private readonly local = new LocalCounters();
  private readonly redis: Scripted;
  private readonly shared: RedisCounts;

  constructor(private readonly link: RedisLink) {
    link.client.defineCommand('guardTake', { numberOfKeys: 2, lua: TAKE });
    link.client.defineCommand('guardGiveBack', { numberOfKeys: 1, lua: GIVE_BACK });
    link.client.defineCommand('guardForgive', { numberOfKeys: 2, lua: FORGIVE });
    link.client.defineCommand('guardConvert', { numberOfKeys: 1, lua: CONVERT });
    this.redis = link.client as Scripted;
    this.shared = new RedisCounts(link, true);
  }

  /** Counts all of a send, or nothing if one of its rules refuses it. */
  async take(accountId: number, taking: Taking): Promise<TakingOutcome> {
    const { limits, newPrefixes, burst, sequential, ...same } = taking;
    const text = JSON.stringify({
      ...same,
      limits: limits.map(({ name, bucket, amount, limit }) => [name, bucket, amount, limit ?? -1]),
      newPrefixes: newPrefixes ?? -1,
      burst: burst ?? -1,
      sequential: sequential ?? -1,
      most: MOST_PREFIXES,
      mostNumbers: MOST_NUMBERS_AN_HOUR,
      knownHours: KNOWN_HOURS,
      bucketSeconds: BUCKET_SECONDS,
    });
    const [counts, numbers] = this.keys(accountId, taking.hour);
    const answer = await this.shared.ask(() => this.redis.guardTake(counts, numbers, text));
    return answer ? outcomeOf(answer) : this.local.take(accountId, taking);
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
      const beside = sequential === null ? 0 : besides(account.numbers, Number(number), sequential);
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

/** Numbers of the set that are at most `distance` away from one of them, itself included. */
function besides(numbers: ReadonlySet<number>, from: number, distance: number): number {
  let count = 0;
  for (let value = from - distance; value <= from + distance; value++) if (numbers.has(value)) count += 1;
  return count;
}
