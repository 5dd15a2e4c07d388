import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';

/** Whether the process has begun to stop: `/health/ready` then answers 503, and answers end their connections. */
@Injectable()
export class Drain {
  /** answers under way, in slots that stay where they are: a Set through which each passes makes them old (docs/decisions/0065) */
  private readonly open: (ServerResponse | null)[] = [];
  private readonly free: number[] = [];
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
    for (const response of this.open) if (response) endConnection(response);
  }

  /** Every request passes here. */
  watch(response: ServerResponse): void {
    if (this.stopping) return endConnection(response);
    const slot = this.free.pop() ?? this.open.length;
    this.open[slot] = response;
    response.on('close', () => {
      this.open[slot] = null;
      this.free.push(slot);
    });
  }
}

function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
