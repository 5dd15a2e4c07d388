/** A recipient, as our client reference names him to an upstream: `<campaign id>-<seq>`. */
export interface Referent {
  campaignId: number;
  seq: number;
}

const REFERENCE = /^([1-9][0-9]{0,15})-([0-9]{1,10})$/;

/** The reference of a recipient; the same for every attempt. */
export const referenceOf = ({ campaignId, seq }: Referent): string => `${campaignId}-${seq}`;

/** The recipient that a reference names; null for one that is none of ours, or not a campaign's. */
export function readReference(reference: string): Referent | null {
  const [, campaign, place] = REFERENCE.exec(reference) ?? [];
  const referent = { campaignId: Number(campaign), seq: Number(place) };
  return Number.isSafeInteger(referent.campaignId) && Number.isSafeInteger(referent.seq) ? referent : null;
}
