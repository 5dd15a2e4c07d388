/** How far a campaign was at a moment. */
interface Look {
  at: number;
  final: number;
}

/** How many looks back the pace is taken over: about a minute. */
const LOOKS = 60;
const SECOND = 1_000;
const MINUTE_S = 60;
const HOUR_S = 3_600;

/** What is left of a campaign, by the pace that was seen. */
export class Pace {
  private readonly looks: Look[] = [];

  see(look: Look): void {
    this.looks.push(look);
    if (this.looks.length > LOOKS) this.looks.shift();
  }

  /** Whole seconds until all are final; null while nothing moves. */
  secondsLeft(total: number): number | null {
    const [first] = this.looks;
    const last = this.looks.at(-1);
    if (!first || !last || last.final <= first.final) return null;
    const perSecond = ((last.final - first.final) / (last.at - first.at)) * SECOND;
    return Math.ceil((total - last.final) / perSecond);
  }
}

/** Such as `45 s`, `3 min`, `2 h 5 min`. */
export function spokenSeconds(seconds: number): string {
  if (seconds < 2 * MINUTE_S) return `${seconds} s`;
  if (seconds < 2 * HOUR_S) return `${Math.round(seconds / MINUTE_S)} min`;
  return `${Math.floor(seconds / HOUR_S)} h ${Math.floor((seconds % HOUR_S) / MINUTE_S)} min`;
}
