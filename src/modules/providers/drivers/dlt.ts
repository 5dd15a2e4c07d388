import { z } from 'zod';
import type { CarrierDemands, OutboundMessage, SendOutcome } from '../message-driver.js';
import { placeholders } from './request-template.js';

/** An id of an operators' registry (India's DLT). */
export const dltIdSchema = z.string().regex(/^[0-9]{1,30}$/, 'must be 1 to 30 digits');

/** What a route's config says about DLT, whatever the protocol. */
export const dltTerms = {
  entity_id: dltIdSchema.optional(),
  required: z.boolean().default(false),
};

interface DltTerms {
  required: boolean;
  entity_id?: string | undefined;
}

/** The DLT placeholders of a request template. A message's own entity id replaces that of the route. */
export const dltValues = (dlt: DltTerms | null | undefined, { dlt: own }: Pick<OutboundMessage, 'dlt'>) => ({
  dlt_entity_id: own?.entityId ?? dlt?.entity_id ?? null,
  dlt_template_id: own?.templateId ?? null,
});

export function demandsOf(dlt: DltTerms | undefined): CarrierDemands {
  const isRequired = dlt?.required ?? false;
  return { dltTemplateId: isRequired, dltEntityId: isRequired && dlt?.entity_id === undefined };
}

export const namesDlt = (template: unknown): boolean => placeholders(template).includes('dlt_template_id');

/** Messages accepted before the route required DLT ids are never sent without them. */
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
