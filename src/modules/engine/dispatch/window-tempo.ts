import type { Route } from '../../providers/index.js';
import { type Channel, itemsOf } from '../channel.js';

/** Most recipients of one window: what a killed worker can leave of unknown outcome, at the most, per lane. */
export const WINDOW_RECIPIENTS = 500;

const AIM_MS = 1_000;
const TOO_LONG_MS = 2_000;
/** Below this the round trips of a slow carrier would cost more than the short window gains. */
const SMALLEST = 20;
/** Windows at once of a route that is not known yet, or slow; each quick one doubles them. */
const FEW_WINDOWS = 2;
const UNKNOWN = { most: FEW_WINDOWS, aside: FEW_WINDOWS };
/**
 * Recipients under way at once over a quick route, about: four full windows, of which some leave while others are claimed or
 * written. Three send a few hundredths slower; more send no faster, and hold up what else needs the database or the
 * connection.
 */
const UNDER_WAY = 4 * WINDOW_RECIPIENTS;
/**
 * Recipients that a carrier takes in so long are under way over it while messages of one recipient come, a window of them at the
 * least: beside one that leaves in a quarter of this, a second one takes the processor and the database from it and from all else.
 */
const AMPLE_MS = 400;

/**
 * At most one second of the route's rate (reference/engine#windows), so that pause and cancel act within two seconds.
 */
const windowSize = (messagesPerSecond: number | null): number =>
  messagesPerSecond === null
    ? WINDOW_RECIPIENTS
    : Math.max(1, Math.min(WINDOW_RECIPIENTS, Math.floor(messagesPerSecond)));

/**
 * Windows of about a second on a carrier that is slower than its route says: a window of a fixed size would keep a place of
 * this worker, and a pause or cancel waiting, for as long as the carrier likes. Known for slow routes only. How many windows
 * a route may have at once follows its speed alike.
 */
export class WindowTempo {
  private readonly sizes = new Map<number, number>();
  private readonly windows = new Map<number, { most: number; aside: number }>();

  size(route: Pick<Route, 'id' | 'messagesPerSecond'>): number {
    return Math.min(windowSize(route.messagesPerSecond), this.sizes.get(route.id) ?? WINDOW_RECIPIENTS);
  }

  /** Whether its carrier takes less than windows of full size within their time. */
  isSlow(routeId: number): boolean {
    return this.sizes.has(routeId);
  }

  /** Windows that may be under way at once. @param standsAside they are to leave room to messages of one recipient */
  atOnce(routeId: number, standsAside = false): number {
    const { most, aside } = this.windows.get(routeId) ?? UNKNOWN;
    return standsAside ? Math.min(most, aside) : most;
  }

  /** A window is over: the next ones follow its speed down at once, and up by doubling. */
  took(routeId: number, recipients: number, milliseconds: number): void {
    const known = this.sizes.get(routeId) ?? WINDOW_RECIPIENTS;
    if (milliseconds > TOO_LONG_MS) {
      const fitting = Math.floor((recipients * AIM_MS) / milliseconds);
      this.sizes.set(routeId, Math.max(SMALLEST, Math.min(known, fitting)));
      this.windows.delete(routeId);
      return;
    }
    let most = this.atOnce(routeId);
    if (milliseconds < AIM_MS) {
      if (known * 2 >= WINDOW_RECIPIENTS) this.sizes.delete(routeId);
      else this.sizes.set(routeId, known * 2);
      most = Math.min(Math.max(FEW_WINDOWS, Math.ceil(UNDER_WAY / recipients)), most * 2);
    }
    const fewest = Math.max(WINDOW_RECIPIENTS, (UNDER_WAY * milliseconds) / AMPLE_MS);
    this.windows.set(routeId, { most, aside: Math.ceil(fewest / recipients) });
  }
}

/** The route with its speed in recipients: a message of several items takes several of its slots. */
export function inRecipients(route: Route, channel: Channel, content: Record<string, unknown>): Route {
  if (route.messagesPerSecond === null) return route;
  try {
    return { ...route, messagesPerSecond: route.messagesPerSecond / itemsOf(channel.compose(content, { number: '' })) };
  } catch {
    return route; // what cannot be composed is refused one by one
  }
}
