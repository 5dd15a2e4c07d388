const REFERENCE = /^session-([1-9]\d{0,15})$/;

/** Our reference of a session message, which the upstream gives back in its statuses. */
export const sessionReference = (id: number): string => `session-${id}`;

/** The id of the session message that a reference names; null for those of campaigns. */
export function readSessionReference(reference: string | undefined): number | null {
  const digits = REFERENCE.exec(reference ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}
