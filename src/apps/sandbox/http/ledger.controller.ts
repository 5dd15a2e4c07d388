import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Controller, Delete, Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CarrierLedger, type LedgerEntry } from '../carrier/carrier-ledger.js';
import { GraphServer } from '../chat/graph-server.js';
import { SmppCarrier } from '../smpp/smpp-carrier.js';
import { TelephoneServer } from '../voice/telephone-server.js';
import { HttpGateway } from './http-gateway.js';

const PAGE = 1_000;
const LONGEST_PAGE = 10_000;

const readCount = (text: string | undefined, fallback: number, max: number): number => {
  const number = Number(text ?? fallback);
  return Number.isInteger(number) && number >= 0 ? Math.min(number, max) : fallback;
};

/** The carrier's books. */
@Controller('ledger')
export class LedgerController {
  constructor(
    private readonly ledger: CarrierLedger,
    private readonly carrier: SmppCarrier,
    private readonly gateway: HttpGateway,
    private readonly chat: GraphServer,
    private readonly telephone: TelephoneServer,
  ) {}

  /** `{ total, counts, messages }`; `?offset&limit` pages (1,000; at most 10,000), `?to` one recipient. */
  @Get()
  page(
    @Query('offset') offset?: string,
    @Query('limit') limit?: string,
    @Query('to') to?: string,
  ): { total: number; counts: Record<string, number>; messages: LedgerEntry[] } {
    const from = readCount(offset, 0, Number.MAX_SAFE_INTEGER);
    const messages = this.ledger.slice(from, readCount(limit, PAGE, LONGEST_PAGE), to ?? null);
    return { total: this.ledger.size, counts: this.ledger.counts(), messages };
  }

  /** Everything, one JSON object a line. */
  @Get('stream')
  async stream(@Res() response: Response): Promise<void> {
    response.setHeader('Content-Type', 'application/x-ndjson');
    for (let offset = 0; ; offset += PAGE) {
      const entries = this.ledger.slice(offset, PAGE);
      if (entries.length === 0 || response.destroyed) break;
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      if (!response.write(lines)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      await turn();
    }
    response.end();
  }

  @Delete()
  clear(): { cleared: true } {
    this.ledger.clear();
    this.carrier.clear();
    this.gateway.clear();
    this.chat.clear();
    this.telephone.clear();
    return { cleared: true };
  }
}
