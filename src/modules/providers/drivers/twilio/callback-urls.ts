import type { CallEvent } from '../../ports/call-script.js';

/** Kinds of events, in callback addresses. */
export const CALL_EVENTS = [
  'answered',
  'digits',
  'played',
  'dialed',
  'recorded',
] as const satisfies CallEvent['kind'][];

/** The same for every call of a route. */
export interface CallbackPlace {
  /** `PUBLIC_URL`, without a slash at its end */
  origin: string;
  /** the route's name */
  route: string;
}

const callAddress = ({ origin, route }: CallbackPlace, ref: string): string =>
  `${origin}/provider/voice/${encodeURIComponent(route)}/calls/${encodeURIComponent(ref)}`;

/**
 * Where the network asks what comes next in a call. Reference, step and kind of event stand in the address (which the
 * signature covers), so that any instance can answer, and a repeated question gets the same answer.
 */
export const stepAddress = (place: CallbackPlace, ref: string, step: number, event: CallEvent['kind']): string =>
  `${callAddress(place, ref)}/steps/${step}/${event}`;

/** Where the network reports how a call ended. */
export const statusAddress = (place: CallbackPlace, ref: string): string => `${callAddress(place, ref)}/status`;
