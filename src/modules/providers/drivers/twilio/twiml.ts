import type { CallEvent, CallStep } from '../../ports/call-script.js';

/** Longest silence that ends a recording. */
const RECORDING_SILENCE_SECONDS = 5;
/** How long a forwarded leg rings. */
const FORWARD_RING_SECONDS = 30;
const METHOD = { method: 'POST' } as const;

/** Loaded when the first call needs it: an installation without voice never does. */
const library = async () => (await import('twilio/lib/twiml/VoiceResponse.js')).default;

type VoiceResponse = InstanceType<Awaited<ReturnType<typeof library>>>;

/** The empty document: the answer to a callback that only reports. */
export const EMPTY_TWIML = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

/**
 * What the network does next, in its own language (TwiML). Whatever stands in a step is escaped.
 * @param after address of the next question, for the event that this step leads to
 */
export async function renderStep(step: CallStep, after: (event: CallEvent['kind']) => string): Promise<string> {
  const response = new (await library())();
  write(response, step, after);
  return response.toString();
}

function write(response: VoiceResponse, step: CallStep, after: (event: CallEvent['kind']) => string): void {
  switch (step.do) {
    case 'play':
      response.play(step.audio);
      if (step.then === 'continue') response.redirect(METHOD, after('played'));
      else response.hangup();
      return;
    case 'menu': {
      const action = after('digits');
      // An empty `finishOnKey` makes # a digit like any other.
      const attributes = { ...METHOD, action, numDigits: 1, finishOnKey: '', timeout: step.timeoutSeconds };
      const gather = response.gather({ ...attributes, input: ['dtmf'] });
      if (step.prompt !== null) gather.play(step.prompt);
      // Reached on silence only: the action is asked when a key was pressed.
      response.redirect(METHOD, action);
      return;
    }
    case 'dial': {
      const dial = response.dial({
        ...METHOD,
        action: after('dialed'),
        timeout: FORWARD_RING_SECONDS,
        timeLimit: step.maxSeconds,
        ...(step.callerId !== '' && { callerId: `+${step.callerId}` }),
      });
      dial.number(`+${step.number}`);
      return;
    }
    case 'record': {
      const action = after('recorded');
      response.record({
        ...METHOD,
        action,
        maxLength: step.maxSeconds,
        timeout: RECORDING_SILENCE_SECONDS,
        playBeep: true,
        recordingStatusCallback: action,
        recordingStatusCallbackMethod: 'POST',
        recordingStatusCallbackEvent: ['completed'],
      });
      // Reached when nothing was said: the action is asked when there is a recording.
      response.redirect(METHOD, action);
      return;
    }
    case 'hangup':
      response.hangup();
  }
}
