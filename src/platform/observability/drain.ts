import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';

/** Whether the process has begun to stop: `/health/ready` then answers 503, and answers end their connections. */
@Injectable()
export class Drain {
  private readonly open = new Set<ServerResponse>();
  private stopping = false;

  get begun(): boolean {
    return this.stopping;
  }

  /**
   * From now on each answer ends its connection, also those under way, so that clients with kept connections go to
   * another instance by themselves instead of meeting a closed one.
   */
  begin(): void {
    this.stopping = true;
    for (const response of this.open) endConnection(response);
  }

  /** Every request passes here. */
  watch(response: ServerResponse): void {
    if (this.stopping) endConnection(response);
    else {
      this.open.add(response);
      response.on('close', () => this.open.delete(response));
    }
  }
}

function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
