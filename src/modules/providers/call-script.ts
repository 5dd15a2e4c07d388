/** What the network says of a call that was answered. */
export type CallEvent =
  /** the callee has picked up */
  | { kind: 'answered' }
  /** the key that was pressed in a menu; `''` = silence until its time was over */
  | { kind: 'digits'; digits: string }
  /** a clip that was to be followed by something has been played */
  | { kind: 'played' }
  /** a forwarded leg is over, or never came about; `seconds` of talk */
  | { kind: 'dialed'; outcome: 'completed' | 'busy' | 'no_answer' | 'failed'; seconds: number }
  /** the callee has spoken; `url` of the recording at the network, `''` when there is none; `seconds` of sound */
  | { kind: 'recorded'; url: string; seconds: number };

/** What the network does next in a call. */
export type CallStep =
  /** Plays the clip at this URL. `continue`: the next event is `played` */
  | { do: 'play'; audio: string; then: 'hangup' | 'continue' }
  /** Plays the prompt (null = none) and waits for one of the digits, also while it plays. The next event is `digits` */
  | { do: 'menu'; prompt: string | null; digits: string; timeoutSeconds: number }
  /** Forwards the call (digits with country code; caller '' = the route's own number). The next event is `dialed` */
  | { do: 'dial'; number: string; callerId: string; maxSeconds: number }
  /** Records what the callee says. The next event is `recorded` */
  | { do: 'record'; maxSeconds: number }
  | { do: 'hangup' };

/** A call as callbacks name it. */
export interface ScriptedCall {
  routeId: number;
  /** our reference, as `OutboundMessage.ref` */
  ref: string;
  /** the network's id of the call */
  callId: string;
}

/**
 * Drives answered calls: says what comes next in each. The voice module implements it, over the database, so that any
 * instance answers the next digit.
 */
export abstract class CallScripts {
  /**
   * @param step counts from 0 in the callback's URL (0 = the call was answered), so a repeated callback gets the same
   * answer and happens once
   * @returns `hangup` for an unknown call; resolves after its commit
   */
  abstract next(call: ScriptedCall, step: number, event: CallEvent): Promise<CallStep>;
}
