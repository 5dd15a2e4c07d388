import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Cluster, type CommonRedisOptions, Redis } from 'ioredis';
import { within } from '../concurrency/index.js';
import { type Environment, ENVIRONMENT, readRedisUrl, type RedisTarget } from '../config/index.js';

/** A connection to a server, to the master that sentinels name, or to a cluster. */
export type RedisClient = Redis | Cluster;

/** `commands`: fail at once without Redis, after 3 s of silence. `blocking`: BLPOP etc. `bull`: never fails, as Bull needs. */
export type ClientPurpose = 'commands' | 'blocking' | 'bull';

export interface ClientOptions {
  isLazy?: boolean;
  /** commands wait for a connection instead of failing */
  isPatient?: boolean;
}

const COMMAND_TIMEOUT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** Silence after which a connection with a pending command is replaced (lost packets). Above the longest block, 5 s. */
const SILENT_MS = { commands: COMMAND_TIMEOUT_MS, blocking: 9_000, bull: 9_000 };
/** Attempts of a command without a cluster node, `CLUSTER_PAUSE_MS` apart. */
const CLUSTER_TRIES = { commands: 3, blocking: 16, bull: 16 };
const CLUSTER_PAUSE_MS = 100;

const again = (attempt: number): number => Math.min(attempt * 200, 2_000);
/** The master became a replica with its connections open: reconnect to the new master. */
const isDemoted = (error: Error): boolean => error.message.startsWith('READONLY');

/** Opens every Redis connection (docs/decisions/0038). During a failover commands fail or wait by their purpose. */
@Injectable()
export class RedisClients implements OnApplicationShutdown {
  private readonly target: RedisTarget;
  private readonly ca: Buffer | undefined;
  private readonly clients: RedisClient[] = [];

  constructor(@Inject(ENVIRONMENT) environment: Pick<Environment, 'REDIS_URL' | 'REDIS_CA'>) {
    this.target = readRedisUrl(environment.REDIS_URL);
    this.ca = environment.REDIS_CA ? readFileSync(environment.REDIS_CA) : undefined;
  }

  /** Opens a connection, closed with the application at the latest. */
  open(purpose: ClientPurpose, options: ClientOptions = {}): RedisClient {
    const client = this.target.kind === 'cluster' ? this.cluster(purpose, options) : this.single(purpose, options);
    // /health/ready reports a missing Redis, and callers handle it.
    client.on('error', () => undefined);
    this.clients.push(client);
    return client;
  }

  onApplicationShutdown(): void {
    for (const client of this.clients) client.disconnect();
  }

  private single(purpose: ClientPurpose, { isLazy, isPatient }: ClientOptions): Redis {
    const { kind, addresses, db, master, sentinelUsername, sentinelPassword } = this.target;
    const tls = this.tls();
    const client = new Redis({
      ...this.common(purpose),
      ...(kind === 'single'
        ? { ...addresses[0], ...(tls && { tls }) }
        : {
            sentinels: addresses,
            name: master,
            sentinelUsername,
            sentinelPassword,
            sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
            sentinelRetryStrategy: again,
            ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
          }),
      db,
      enableAutoPipelining: purpose === 'commands',
      enableOfflineQueue: waits(purpose, isPatient),
      lazyConnect: isLazy ?? false,
      retryStrategy: again,
      reconnectOnError: isDemoted,
    });
    // ioredis leaves this timer running, and it would close the next connection.
    client.on('close', () => {
      clearTimeout(client['socketTimeoutTimer'] as NodeJS.Timeout | undefined);
      delete client['socketTimeoutTimer'];
    });
    return client;
  }

  /** No automatic pipelines: those across slots fail during resharding. Resolves names per connection, for certificates. */
  private cluster(purpose: ClientPurpose, { isLazy, isPatient }: ClientOptions): Cluster {
    const tls = this.tls();
    return new Cluster(this.target.addresses, {
      redisOptions: { ...this.common(purpose), ...(tls && { tls }) },
      dnsLookup: (name, found) => found(null, name),
      enableOfflineQueue: waits(purpose, isPatient),
      lazyConnect: isLazy ?? false,
      clusterRetryStrategy: again,
      slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
      maxRedirections: CLUSTER_TRIES[purpose],
      retryDelayOnFailover: CLUSTER_PAUSE_MS,
      retryDelayOnClusterDown: CLUSTER_PAUSE_MS,
      retryDelayOnTryAgain: CLUSTER_PAUSE_MS,
    });
  }

  private common(purpose: ClientPurpose): CommonRedisOptions {
    const { username, password } = this.target;
    return {
      username,
      password,
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENT_MS[purpose],
      ...(purpose === 'commands' && { commandTimeout: COMMAND_TIMEOUT_MS }),
      // Bull rejects connections with a ready check or limited retries.
      ...(purpose === 'bull' ? { maxRetriesPerRequest: null, enableReadyCheck: false } : { maxRetriesPerRequest: 0 }),
    };
  }

  private tls(): { ca?: Buffer; servername?: string } | null {
    const { isTls, servername } = this.target;
    return isTls ? { ...(this.ca && { ca: this.ca }), ...(servername && { servername }) } : null;
  }
}

const waits = (purpose: ClientPurpose, isPatient: boolean | undefined): boolean => isPatient ?? purpose === 'bull';

/** Longest block of a read. */
export const BLOCKED_SECONDS = 5;
/** A read without an answer by then has lost its connection silently. */
const LOST_AFTER_MS = 2_000 * BLOCKED_SECONDS;
const AGAIN_MS = 500;

/** Repeats blocking reads, each on its own connection, through all outages of Redis. */
export class BlockingReads {
  private readonly connections: RedisClient[] = [];
  private hasEnded = false;

  constructor(private readonly clients: Pick<RedisClients, 'open'>) {}

  /** Starts reading. @param ask blocks `BLOCKED_SECONDS`; null = nothing @param onFound must not reject; awaited */
  start<Found>(
    ask: (connection: RedisClient) => Promise<Found | null>,
    onFound: (found: Found, connection: RedisClient) => Promise<void>,
  ): void {
    const connection = this.clients.open('blocking');
    this.connections.push(connection);
    void this.take(connection, ask, onFound);
  }

  end(): void {
    this.hasEnded = true;
    for (const connection of this.connections) connection.disconnect();
  }

  private async take<Found>(
    connection: RedisClient,
    ask: (connection: RedisClient) => Promise<Found | null>,
    onFound: (found: Found, connection: RedisClient) => Promise<void>,
  ): Promise<void> {
    while (!this.hasEnded) {
      if (connection.status !== 'ready') await once(connection, 'ready').catch(() => undefined);
      const asking = ask(connection).then(
        (found) => ({ found }),
        () => sleep(AGAIN_MS, { found: null }),
      );
      const answer = await within(LOST_AFTER_MS, asking);
      if (answer === null) connection.disconnect(true);
      else if (answer.found !== null) await onFound(answer.found, connection);
    }
  }
}
