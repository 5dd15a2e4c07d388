import { describe, expect, it } from 'vitest';
import type { CallStep } from '../../call-script.js';
import { renderSpeech, renderStep } from './call-request.js';

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';
const render = (step: CallStep): Promise<string> => renderStep(step, (event) => `https://us.example/4/${event}`);
const METHOD = 'method="POST"';

describe('steps of calls as TwiML', () => {
  it.each<[CallStep, string]>([
    [{ do: 'hangup' }, '<Hangup/>'],
    [{ do: 'play', audio: 'https://a.example/1.wav', then: 'hangup' }, '<Play>https://a.example/1.wav</Play><Hangup/>'],
    [
      { do: 'play', audio: 'https://a.example/1.wav', then: 'continue' },
      `<Play>https://a.example/1.wav</Play><Redirect ${METHOD}>https://us.example/4/played</Redirect>`,
    ],
    [
      { do: 'menu', prompt: 'https://a.example/1.wav', digits: '12#', timeoutSeconds: 7 },
      `<Gather ${METHOD} action="https://us.example/4/digits" numDigits="1" finishOnKey="" timeout="7" input="dtmf">` +
        `<Play>https://a.example/1.wav</Play></Gather><Redirect ${METHOD}>https://us.example/4/digits</Redirect>`,
    ],
    [
      { do: 'menu', prompt: null, digits: '1', timeoutSeconds: 5 },
      `<Gather ${METHOD} action="https://us.example/4/digits" numDigits="1" finishOnKey="" timeout="5" input="dtmf"/>` +
        `<Redirect ${METHOD}>https://us.example/4/digits</Redirect>`,
    ],
    [
      { do: 'dial', number: '4915112345678', callerId: '4930123456', maxSeconds: 600 },
      `<Dial ${METHOD} action="https://us.example/4/dialed" timeout="30" timeLimit="600" callerId="+4930123456">` +
        '<Number>+4915112345678</Number></Dial>',
    ],
    [
      { do: 'record', maxSeconds: 60 },
      `<Record ${METHOD} action="https://us.example/4/recorded" maxLength="60" timeout="5" playBeep="true" ` +
        'recordingStatusCallback="https://us.example/4/recorded" recordingStatusCallbackMethod="POST" ' +
        `recordingStatusCallbackEvent="completed"/><Redirect ${METHOD}>https://us.example/4/recorded</Redirect>`,
    ],
  ])('%j', async (step, body) => {
    expect(await render(step)).toBe(`${HEAD}<Response>${body}</Response>`);
  });

  it('speaks a text twice, in a language', async () => {
    expect(await renderSpeech('1, 2 <code>', 'de-DE')).toBe(
      `${HEAD}<Response><Say loop="2" language="de-DE">1, 2 &lt;code&gt;</Say><Hangup/></Response>`,
    );
    expect(await renderSpeech('1', '')).toBe(`${HEAD}<Response><Say loop="2">1</Say><Hangup/></Response>`);
  });

  it('escapes whatever stands in them', async () => {
    const audio = 'https://a.example/?a=1&b="<Hangup/>\'';
    expect(await render({ do: 'play', audio, then: 'hangup' })).toContain(
      '<Play>https://a.example/?a=1&amp;b="&lt;Hangup/&gt;\'</Play>',
    );
    const dial = await renderStep({ do: 'dial', number: '1', callerId: '', maxSeconds: 1 }, () => 'https://x/?"&<>');
    expect(dial).toContain('action="https://x/?&quot;&amp;&lt;');
  });
});
