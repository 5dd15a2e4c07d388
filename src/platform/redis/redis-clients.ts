import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Global, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Cluster, type CommonRedisOptions, Redis } from 'ioredis';
import { within } from '../concurrency/index.js';
import { type Environment, ENVIRONMENT, readRedisUrl, type RedisTarget } from '../config/index.js';

/** A connection to Redis of whichever kind: a server, the master that sentinels name, or the masters of a cluster. */
export type RedisClient = Redis | Cluster;

/**
 * What a client is for. `commands`: fail at once while Redis is away, and when it says nothing for 3 s. `blocking`: waits
 * in BLPOP and the like, and fails with its connection. `bull`: never gives up, as Bull demands.
 */
export type ClientPurpose = 'commands' | 'blocking' | 'bull';

/** What one caller needs otherwise. */
export interface ClientOptions {
  /** connect at the first command, or when told to */
  isLazy?: boolean;
  /** commands wait for the connection in place of failing without it */
  isPatient?: boolean;
}

const COMMAND_TIMEOUT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 2_000;
/**
 * A connection with a command under way that has said nothing for so long is dead, though nothing has closed it: the
 * server is frozen, or a network drops packets. It is made anew, by then perhaps with another master. Longer than the
 * longest command that blocks (5 s).
 */
const SILENT_MS = { commands: COMMAND_TIMEOUT_MS, blocking: 9_000, bull: 9_000 };
/** Commands for which a cluster has no node are tried so often, each time after `CLUSTER_PAUSE_MS`. */
const CLUSTER_TRIES = { commands: 3, blocking: 16, bull: 16 };
const CLUSTER_PAUSE_MS = 100;

const again = (attempt: number): number => Math.min(attempt * 200, 2_000);
/** A master that has become a replica while its connections stayed: the next connection goes to the new one. */
const isDemoted = (error: Error): boolean => error.message.startsWith('READONLY');

/**
 * Makes every connection to Redis, by `REDIS_URL`: a server, a cluster, or what sentinels name (docs/decisions/0038). A
 * failover of the master needs nothing of the callers: their commands fail or wait meanwhile, as their purpose says.
 */
@Injectable()
export class RedisClients implements OnApplicationShutdown {
  private readonly target: RedisTarget;
  private readonly ca: Buffer | undefined;
  private readonly clients: RedisClient[] = [];

  constructor(@Inject(ENVIRONMENT) environment: Pick<Environment, 'REDIS_URL' | 'REDIS_CA'>) {
    this.target = readRedisUrl(environment.REDIS_URL);
    this.ca = environment.REDIS_CA ? readFileSync(environment.REDIS_CA) : undefined;
  }

  /** A new connection, which is closed with the application at the latest. */
  open(purpose: ClientPurpose, options: ClientOptions = {}): RedisClient {
    const client = this.target.kind === 'cluster' ? this.cluster(purpose, options) : this.single(purpose, options);
    // Where Redis is away /health/ready says so, and the callers bear it.
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
    // Its timer outlives the connection that it was set for, and would end the next one.
    client.on('close', () => {
      clearTimeout(client['socketTimeoutTimer'] as NodeJS.Timeout | undefined);
      delete client['socketTimeoutTimer'];
    });
    return client;
  }

  /**
   * No automatic pipelines here: one that spans slots fails as a whole while some of them move. A node is looked up by
   * its name for each connection, so that certificates are held against names.
   */
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

  /** What holds for each connection to a server, of whichever kind. */
  private common(purpose: ClientPurpose): CommonRedisOptions {
    const { username, password } = this.target;
    return {
      username,
      password,
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENT_MS[purpose],
      ...(purpose === 'commands' && { commandTimeout: COMMAND_TIMEOUT_MS }),
      // Bull refuses connections that check by themselves, or that give commands up.
      ...(purpose === 'bull' ? { maxRetriesPerRequest: null, enableReadyCheck: false } : { maxRetriesPerRequest: 0 }),
    };
  }

  private tls(): { ca?: Buffer; servername?: string } | null {
    const { isTls, servername } = this.target;
    return isTls ? { ...(this.ca && { ca: this.ca }), ...(servername && { servername }) } : null;
  }
}

const waits = (purpose: ClientPurpose, isPatient: boolean | undefined): boolean => isPatient ?? purpose === 'bull';

/** So long a read blocks at the most. */
export const BLOCKED_SECONDS = 5;
/** A read that has no answer by then has lost its connection without a word. */
const LOST_AFTER_MS = 2_000 * BLOCKED_SECONDS;
const AGAIN_MS = 500;

/** Commands that wait in Redis for something to come, asked again and again on a connection each, whatever becomes of Redis. */
export class BlockingReads {
  private readonly connections: RedisClient[] = [];
  private hasEnded = false;

  constructor(private readonly clients: Pick<RedisClients, 'open'>) {}

  /**
   * Asks from now on, one at a time.
   * @param ask a command that blocks for `BLOCKED_SECONDS`; null = nothing has come
   * @param onFound never rejects; the next is asked for when it is over
   */
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

/** Connections to Redis, for every process. */
@Global()
@Module({ providers: [RedisClients], exports: [RedisClients] })
export class RedisModule {}
