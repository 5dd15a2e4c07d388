import { Injectable } from '@nestjs/common';
import { z } from 'zod';

const milliseconds = z.number().int().min(0).max(600_000);

/** Behaviours of a carrier on a bad day, switched on by `POST /faults`. */
export const faultsSchema = z
  .object({
    /** messages are taken and delivered, but their submit is never answered */
    stopAnswering: z.boolean(),
    /** answers to submits come this late */
    answerDelayMs: milliseconds,
    /** receipts leave before the answer to the submit */
    receiptsFirst: z.boolean(),
    /** SMPP: ids in hexadecimal in the answer, in decimal in the receipt */
    hexIds: z.boolean(),
    /** SMPP: how answer and receipt write one id otherwise (with a number of zeros, with `0x`, in capitals); wins over `hexIds` */
    idDialect: z.enum(['none', 'padded hex', 'padded', 'stripped', '0x', 'uuid']),
    /** SMPP: form of receipts */
    receiptForm: z.enum(['text', 'tlv', 'both']),
    /** SMPP: what stands between the fields of a receipt's text */
    receiptSeparator: z.enum([' ', ',']),
    /** SMPP: the command that brings receipts */
    receiptCommand: z.enum(['deliver_sm', 'data_sm']),
    /** SMPP: each receipt is followed by an alert_notification, which has no answer */
    alerts: z.boolean(),
    /** receipts leave this long after the message was taken */
    receiptDelayMs: milliseconds,
    /** receipts are kept back until this is switched off */
    holdReceipts: z.boolean(),
    /** every submit is answered with "throttled" */
    throttleAll: z.boolean(),
    /** binds are refused (SMPP); requests are answered with 503 (HTTP) */
    refuseAll: z.boolean(),
    /** connections are dropped after this many more submits, the last of them unanswered; null = never */
    dropAfterSubmits: z.number().int().min(1).max(10_000_000).nullable(),
    /** SMPP: what the carrier's DLT registry knows; other messages end with the registry's code. null = it asks for nothing */
    dlt: z
      .object({
        entityTag: z.number().int().default(0x1400),
        templateTag: z.number().int().default(0x1401),
        chainTag: z.number().int().default(0x1402),
        entities: z.array(z.string()),
        templates: z.array(z.string()),
        /** of chains of telemarketers; absent = none is asked for */
        hashes: z.array(z.string()).optional(),
      })
      .nullable(),
    /** HTTP, chat, voice: messages are taken, and a proxy before the carrier answers with this status; null = the carrier answers */
    proxyStatus: z.number().int().min(300).max(599).nullable(),
    /** HTTP, chat, voice: messages are taken, and the connection is reset instead of an answer */
    resetAfterTaking: z.boolean(),
    /** HTTP: where receipts go of messages that name no `callback_url` */
    callbackUrl: z.url().nullable(),
    /** chat: what comes instead of the usual answer; what is not JSON or huge comes after the request was carried out */
    chatAnswer: z.enum(['usual', 'server error', 'not JSON', 'huge', 'redirect']),
    /** chat: every request is refused with this error */
    chatError: z
      .object({
        status: z.number().int().min(400).max(599),
        code: z.number().int(),
        message: z.string(),
        details: z.string().optional(),
      })
      .nullable(),
    /** chat: delivered messages are read */
    readReceipts: z.boolean(),
    /** chat: free-form messages fail (131047) unless the recipient wrote in the last 24 hours */
    enforceWindows: z.boolean(),
  })
  .partial()
  .strict();

export type FaultSettings = Required<{
  [K in keyof z.infer<typeof faultsSchema>]: Exclude<z.infer<typeof faultsSchema>[K], undefined>;
}>;

const NONE: FaultSettings = {
  stopAnswering: false,
  answerDelayMs: 0,
  receiptsFirst: false,
  hexIds: false,
  idDialect: 'none',
  receiptForm: 'both',
  receiptSeparator: ' ',
  receiptCommand: 'deliver_sm',
  alerts: false,
  receiptDelayMs: 50,
  holdReceipts: false,
  throttleAll: false,
  refuseAll: false,
  dropAfterSubmits: null,
  dlt: null,
  proxyStatus: null,
  resetAfterTaking: false,
  callbackUrl: null,
  chatAnswer: 'usual',
  chatError: null,
  readReceipts: false,
  enforceWindows: false,
};

@Injectable()
export class Faults {
  private settings: FaultSettings = { ...NONE };

  get current(): FaultSettings {
    return this.settings;
  }

  change(changes: Partial<FaultSettings>): FaultSettings {
    this.settings = { ...this.settings, ...changes };
    return this.settings;
  }

  clear(): FaultSettings {
    this.settings = { ...NONE };
    return this.settings;
  }

  /** Counts a submit towards `dropAfterSubmits`. @returns true when the connection is to be dropped now */
  dropsNow(): boolean {
    const left = this.settings.dropAfterSubmits;
    if (left === null) return false;
    this.settings = { ...this.settings, dropAfterSubmits: left > 1 ? left - 1 : null };
    return left === 1;
  }
}

/** What becomes of a message, by the recipient's last three digits (reference/providers#sandbox). */
export type DeliveryOutcome = 'delivered' | 'undeliverable' | 'silent' | 'throttled once' | 'error once' | 'refused';

const OUTCOME_BY_ENDING: Readonly<Record<string, DeliveryOutcome>> = {
  '404': 'undeliverable',
  '408': 'silent',
  '429': 'throttled once',
  '500': 'error once',
  '603': 'refused',
};

export const deliveryOutcomeOf = (to: string): DeliveryOutcome => OUTCOME_BY_ENDING[to.slice(-3)] ?? 'delivered';

/** Remembers who was turned away once: the next try is taken, the one after it turned away again. */
export class OnceBook {
  private readonly turnedAway = new Set<string>();

  /** @param key one try of one message (part) @returns true for the first of each two tries */
  turnAway(key: string): boolean {
    if (this.turnedAway.delete(key)) return false;
    this.turnedAway.add(key);
    return true;
  }

  clear(): void {
    this.turnedAway.clear();
  }
}
