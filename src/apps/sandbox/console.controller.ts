import { once } from 'node:events';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import {
  BadGatewayException,
  BadRequestException,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { CarrierLedger, type LedgerEntry } from './carrier-ledger.js';
import {
  ChatAccountBook,
  chatAccountSchema,
  ChatInbound,
  inboundSchema,
  preferenceSchema,
} from './chat/chat-accounts.js';
import { GraphServer } from './chat/graph-server.js';
import { categorySchema, reviewSchema, TemplateReviews, type ProviderTemplate } from './chat/templates.js';
import { Faults, type FaultSettings, faultsSchema } from './faults.js';
import { HttpGateway } from './http-gateway.js';
import { SmppCarrier } from './smpp/smpp-carrier.js';
import { type Callee, Callees, calleeSchema } from './voice/calls.js';
import { TelephoneServer } from './voice/telephone-server.js';

const requestSchema = faultsSchema.extend({
  dropConnections: z.literal(true).optional(),
});

/** Carrier faults on demand. */
@Controller('faults')
export class FaultsController {
  constructor(
    private readonly faults: Faults,
    private readonly carrier: SmppCarrier,
  ) {}

  @Get()
  show(): FaultSettings {
    return this.faults.current;
  }

  @Post()
  @HttpCode(200)
  change(@Body() body: unknown): FaultSettings {
    const parsed = requestSchema.safeParse(body);
    if (!parsed.success) throw new BadRequestException(z.prettifyError(parsed.error));
    const { dropConnections, ...changes } = parsed.data;
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const settings = this.faults.change(Object.fromEntries(given));
    if (dropConnections) this.carrier.dropAll();
    return settings;
  }

  @Delete()
  clear(): FaultSettings {
    return this.faults.clear();
  }
}

const PAGE = 1_000;
const LONGEST_PAGE = 10_000;

const readCount = (text: string | undefined, fallback: number, max: number): number => {
  const number = Number(text ?? fallback);
  return Number.isInteger(number) && number >= 0 ? Math.min(number, max) : fallback;
};

/** The carriers' ledger. */
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

  @Get('stream')
  async stream(@Res() response: Response): Promise<void> {
    response.setHeader('Content-Type', 'application/x-ndjson');
    for (let offset = 0; ; offset += PAGE) {
      const entries = this.ledger.slice(offset, PAGE);
      if (entries.length === 0 || response.destroyed) break;
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      if (!response.write(lines)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      await yieldToOthers();
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

const handsetTextSchema = z.object({
  system_id: z.string().min(1),
  from: z.string().regex(/^\+?[0-9]{1,20}$/),
  to: z.string().max(20).default('sandbox'),
  text: z.string().min(1).max(70),
});

/** Messages from handsets. */
@Controller('smpp')
export class HandsetsController {
  constructor(private readonly carrier: SmppCarrier) {}

  /** `{ system_id, from, to, text }`: sends a deliver_sm over a session of that system id. */
  @Post('inbound')
  @HttpCode(200)
  write(@Body() body: unknown): { taken: true } {
    const parsed = handsetTextSchema.safeParse(body);
    if (!parsed.success) throw new BadRequestException(z.prettifyError(parsed.error));
    const { system_id: systemId, ...text } = parsed.data;
    if (!this.carrier.writeBack(systemId, text)) throw new NotFoundException('No session of this system_id is bound');
    return { taken: true };
  }
}

/** Scripts of the people who are called. */
@Controller('voice')
export class VoiceConsoleController {
  constructor(private readonly callees: Callees) {}

  /** `{ to, digits, forwards, outcomes, speaks }`: applies to every later call to this number. */
  @Post('script')
  @HttpCode(200)
  script(@Body() body: unknown): Callee {
    const parsed = calleeSchema.safeParse(body);
    if (!parsed.success) throw new BadRequestException(z.prettifyError(parsed.error));
    this.callees.set(parsed.data);
    return parsed.data;
  }
}

/** Actions at the chat provider: register callbacks, write messages, review templates. */
@Controller('chat')
export class ChatConsoleController {
  constructor(
    private readonly accounts: ChatAccountBook,
    private readonly inbound: ChatInbound,
    private readonly templates: TemplateReviews,
  ) {}

  @Post('accounts')
  @HttpCode(200)
  async register(@Body() body: unknown): Promise<{ phone_number_id: string; verified: true }> {
    const account = read(chatAccountSchema, body);
    if (!(await this.accounts.register(account))) {
      throw new BadRequestException(
        "The callback URL or verify token couldn't be validated. Please verify the provided information or try again later.",
      );
    }
    return { phone_number_id: account.phone_number_id, verified: true };
  }

  /** A message from a handset: `{ phone_number_id, from, text }` or `{ …, message: { type, … } }`. */
  @Post('inbound')
  @HttpCode(200)
  async write(@Body() body: unknown): Promise<{ id: string; taken: true }> {
    const written = await this.inbound.write(read(inboundSchema, body));
    if (!written) throw new NotFoundException('No account is registered for this phone_number_id');
    if (!written.taken) throw new BadGatewayException('The callback did not take the message');
    return { id: written.id, taken: true };
  }

  /** `{ phone_number_id, from or user_id, value: stop or resume }`: a person's preference about campaigns. */
  @Post('preferences')
  @HttpCode(200)
  async prefer(@Body() body: unknown): Promise<{ taken: true }> {
    const taken = await this.inbound.prefer(read(preferenceSchema, body));
    if (taken === null) throw new NotFoundException('No account is registered for this phone_number_id');
    if (!taken) throw new BadGatewayException('The callback did not take the change');
    return { taken };
  }

  @Get('templates')
  list(): ProviderTemplate[] {
    return this.templates.list();
  }

  /** `{ status, reason? }`; `taken` = a callback of the business account accepted the event. */
  @Post('templates/:id/review')
  @HttpCode(200)
  async review(
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<{ template: ProviderTemplate; taken: boolean }> {
    const reviewed = await this.templates.review(id, read(reviewSchema, body));
    if (!reviewed) throw new NotFoundException('Template not found');
    return reviewed;
  }

  /** `{ value: { new_category, previous_category?, correct_category? }, told? }`, reported as the value says. */
  @Post('templates/:id/category')
  @HttpCode(200)
  async recategorise(
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<{ template: ProviderTemplate; taken: boolean }> {
    const moved = await this.templates.recategorise(id, read(categorySchema, body));
    if (!moved) throw new NotFoundException('Template not found');
    return moved;
  }
}

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new BadRequestException(z.prettifyError(parsed.error));
  return parsed.data;
}
