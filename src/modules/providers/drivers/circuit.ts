import {
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleType,
  isBrokenCircuitError,
} from 'cockatiel';

const FAULTS_TO_OPEN = 20;
/** How long an open circuit lets nothing through. */
export const HALF_OPEN_MS = 2_000;

class Trouble<Result> extends Error {
  constructor(readonly result: Result) {
    super('upstream in trouble');
  }
}

/** Stops calls to an upstream that answers nothing but faults: after 20 in a row, one try every 2 s. */
export class Circuit {
  private readonly breaker: CircuitBreakerPolicy;
  private openedAt = 0;

  constructor() {
    this.breaker = circuitBreaker(handleType(Trouble), {
      halfOpenAfter: HALF_OPEN_MS,
      breaker: new ConsecutiveBreaker(FAULTS_TO_OPEN),
    });
    this.breaker.onBreak(() => (this.openedAt = performance.now()));
  }

  /** True while nothing would be let through. */
  get isOpen(): boolean {
    return this.breaker.state === CircuitState.Open && performance.now() - this.openedAt < HALF_OPEN_MS;
  }

  /**
   * @param call must not reject @param isTrouble whether its result speaks of an upstream in trouble
   * @returns the result, or null when the call was not made
   */
  async run<Result>(call: () => Promise<Result>, isTrouble: (result: Result) => boolean): Promise<Result | null> {
    try {
      return await this.breaker.execute(async () => {
        const result = await call();
        if (isTrouble(result)) throw new Trouble(result);
        return result;
      });
    } catch (error) {
      if (error instanceof Trouble) return error.result as Result;
      if (isBrokenCircuitError(error)) return null;
      throw error;
    }
  }
}
