import { Inject, Injectable } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import type { Queue } from 'bull';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { unavailable } from '../../kernel/errors.js';
import { ENVIRONMENT, type Environment, publicPath } from '../config/index.js';
import { type RedisClient, RedisClients } from '../redis/index.js';
import { queuePrefix } from './route-jobs.js';

export const redisAway = unavailable('redis_away', 'Redis does not answer');

export interface ShownQueue {
  name: string;
  purpose: string;
}

/** Read-only view of the queues; a guard must precede it. Loads its code and connects to Redis at first use. */
@Injectable()
export class QueueDashboard {
  private board: Promise<RequestHandler> | null = null;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'REDIS_PREFIX' | 'PUBLIC_URL'>,
    private readonly clients: RedisClients,
    private readonly modules: LazyModuleLoader,
  ) {}

  /** Answers a GET of the dashboard. @param basePath such as `/admin/queues` */
  serve(
    basePath: string,
    queues: readonly ShownQueue[],
    request: Request,
    response: Response,
    next: NextFunction,
  ): void {
    this.board ??= this.open(basePath, queues);
    request.url = request.url.slice(basePath.length) || '/';
    this.board.then((board) => void board(request, response, next)).catch(next);
  }

  private async open(basePath: string, shown: readonly ShownQueue[]): Promise<RequestHandler> {
    const [{ BullModule, getQueueToken }, { createBullBoard }, { BullAdapter }, { ExpressAdapter }] = await Promise.all(
      [
        import('@nestjs/bull'),
        import('@bull-board/api'),
        import('@bull-board/api/bullAdapter'),
        import('@bull-board/express'),
      ],
    );
    const redis = this.connect();
    const { REDIS_PREFIX } = this.environment;
    const registered = shown.map(({ name }) => ({
      name,
      prefix: queuePrefix(REDIS_PREFIX, name),
      createClient: () => redis,
    }));
    const module = await this.modules.load(() => BullModule.registerQueue(...registered));
    const queues = shown.map(({ name, purpose }) => {
      const queue = module.get<Queue>(getQueueToken(name));
      queue.on('error', () => undefined); // each answer reports it
      return new BullAdapter(queue, { readOnlyMode: true, description: purpose });
    });
    const serverAdapter = new ExpressAdapter().setBasePath(publicPath(this.environment) + basePath);
    createBullBoard({ queues, serverAdapter, options: { uiConfig: { boardTitle: 'Switchboard queues' } } });
    // The default handler would show the error's text, which includes the host of Redis.
    serverAdapter.setErrorHandler(() => {
      throw redisAway();
    });
    return serverAdapter.getRouter() as RequestHandler;
  }

  private connect(): RedisClient {
    const redis = this.clients.open('commands', { isPatient: true });
    redis.setMaxListeners(0); // all queues share the connection
    return redis;
  }
}
