import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { FrontEnvironment } from '../../platform/config/index.js';
import { ANONYMOUS_PACE, beginBody, BodyBudget, inPace, readBytes } from '../../platform/http/index.js';
import { networksOf } from '../../platform/security/index.js';
import { FRONT_ENVIRONMENT } from './front-environment.js';

const MB = 1024 * 1024;
/** Of all bodies that are held at the moment. */
const MOST_HELD_BYTES = 64 * MB;
/** Of one network, so that none keeps all others from sending; or one body, where BODY_LIMIT is larger. */
const MOST_OF_NETWORK = MOST_HELD_BYTES / 4;

/** A body that was read before its cell was known. */
export interface WholeBody {
  /** as it came */
  bytes: Buffer;
  /** to be called when it has been handed on */
  release: () => void;
}

/** Reads bodies whole, so many bytes at once and no more, and of one network a part of them: their senders are not known here. */
@Injectable()
export class WholeBodies {
  private readonly budget: BodyBudget;

  constructor(@Inject(FRONT_ENVIRONMENT) { BODY_LIMIT }: Pick<FrontEnvironment, 'BODY_LIMIT'>) {
    this.budget = new BodyBudget(Math.max(MOST_HELD_BYTES, 2 * BODY_LIMIT), Math.max(MOST_OF_NETWORK, BODY_LIMIT));
  }

  /** @throws AppError over the limit, compressed, too slow, or while too much is held */
  async read(request: IncomingMessage, response: ServerResponse, limit: number, ip: string): Promise<WholeBody> {
    const holding = this.budget.open(() => [networksOf(ip)[0]?.name ?? ip]);
    beginBody(request, response);
    try {
      const bytes = await inPace(request, ANONYMOUS_PACE, (signal) =>
        readBytes(request, { limit, inflates: false, holding, signal }),
      );
      return { bytes, release: () => holding.release() };
    } catch (error) {
      holding.release();
      throw error;
    }
  }
}
