import { Injectable } from '@nestjs/common';
import { z } from 'zod';

const milliseconds = z.number().int().min(0).max(600_000);

/** Faults of a carrier, switched on by `POST /faults`. */
export const faultsSchema = z
  .object({
    /** messages are accepted and delivered, submits stay unanswered */
    stopAnswering: z.boolean(),
    answerDelayMs: milliseconds,
    /** receipts leave before the answer to the submit */
    receiptsFirst: z.boolean(),
    /** SMPP: ids hexadecimal in the answer, decimal in the receipt */
    hexIds: z.boolean(),
    /** SMPP: other spellings of one id in answer and receipt (padded, with `0x`, in capitals); overrides `hexIds` */
    idDialect: z.enum(['none', 'padded hex', 'padded', 'stripped', '0x', 'uuid']),
    receiptForm: z.enum(['text', 'tlv', 'both']),
    receiptSeparator: z.enum([' ', ',']),
    receiptCommand: z.enum(['deliver_sm', 'data_sm']),
    /** SMPP: an alert_notification, which has no answer, follows each receipt */
    alerts: z.boolean(),
    receiptDelayMs: milliseconds,
    holdReceipts: z.boolean(),
    throttleAll: z.boolean(),
    /** binds are refused (SMPP), requests answered with 503 (HTTP) */
    refuseAll: z.boolean(),
    /** connections drop after this many submits, the last one unanswered; null = never */
    dropAfterSubmits: z.number().int().min(1).max(10_000_000).nullable(),
    /** SMPP: the DLT registry; other messages fail with its codes. null = no registry */
    dlt: z
      .object({
        entityTag: z.number().int().default(0x1400),
        templateTag: z.number().int().default(0x1401),
        chainTag: z.number().int().default(0x1402),
        entities: z.array(z.string()),
        templates: z.array(z.string()),
        /** hashes of telemarketer chains; absent = not checked */
        hashes: z.array(z.string()).optional(),
      })
      .nullable(),
    /** HTTP, chat, voice: messages are accepted, but a proxy answers with this status; null = no proxy */
    proxyStatus: z.number().int().min(300).max(599).nullable(),
    /** HTTP, chat, voice: messages are accepted, then the connection is reset */
    resetAfterTaking: z.boolean(),
    /** HTTP: receipt address of messages without `callback_url` */
    callbackUrl: z.url().nullable(),
    /** chat: `not JSON` and `huge` are answered after the request is executed, the others instead of it */
    chatAnswer: z.enum(['usual', 'server error', 'not JSON', 'huge', 'redirect']),
    chatError: z
      .object({
        status: z.number().int().min(400).max(599),
        code: z.number().int(),
        message: z.string(),
        details: z.string().optional(),
      })
      .nullable(),
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

  /** Counts a submit towards `dropAfterSubmits`; true = drop the connection now. */
  dropsNow(): boolean {
    const left = this.settings.dropAfterSubmits;
    if (left === null) return false;
    this.settings = { ...this.settings, dropAfterSubmits: left > 1 ? left - 1 : null };
    return left === 1;
  }
}

/** Refuses every other attempt of a key. */
export class OnceBook {
  private readonly refused = new Set<string>();

  refuse(key: string): boolean {
    if (this.refused.delete(key)) return false;
    this.refused.add(key);
    return true;
  }

  clear(): void {
    this.refused.clear();
  }
}
