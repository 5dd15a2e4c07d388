import { z } from 'zod';
import type { CarrierDemands, OutboundMessage, SendOutcome } from '../ports/message-driver.js';
import { placeholders } from './template.js';

/** An id of an operators' registry (India's DLT). */
export const dltIdSchema = z.string().regex(/^[0-9]{1,30}$/, 'must be 1 to 30 digits');

/** What every route says of DLT. */
export interface DltTerms {
  required: boolean;
  /** of messages whose sender id has none */
  entity_id?: string | undefined;
}

/** What a route with these terms wants of messages; undefined = nothing. */
export function demandsOf(dlt: DltTerms | undefined): CarrierDemands {
  const isRequired = dlt?.required ?? false;
  return { dltTemplateId: isRequired, dltEntityId: isRequired && dlt?.entity_id === undefined };
}

/** Whether what is filled in for each message has a place for the id of its text. */
export const namesDlt = (template: unknown): boolean => placeholders(template).includes('dlt_template_id');

/** Messages that were accepted before the route asked for the ids never leave without them. */
export function lacksDlt(dlt: DltTerms | null | undefined, { dlt: own }: Pick<OutboundMessage, 'dlt'>): boolean {
  if (!dlt?.required) return false;
  return own?.templateId === undefined || (own.entityId ?? dlt.entity_id) === undefined;
}

export const DLT_MISSING: SendOutcome = {
  kind: 'rejected',
  code: null,
  text: 'DLT ids are missing',
  submitted: false,
};
