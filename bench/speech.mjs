import { spawnSync } from 'node:child_process';
import autocannon from 'autocannon';
import { fileURLToPath } from 'node:url';
import { benchAccount, median, stage, verdict } from './stage.mjs';

const ROUNDS = 5;
const TEXT =
  'Good morning. This is a reminder of your appointment tomorrow at ten. Please bring your documents, and come a little earlier. ';
const LANGUAGES = {
  en: TEXT.repeat(6),
  hi: 'नमस्ते। आपका ऑर्डर भेज दिया गया है और कल तक पहुँच जाएगा। कृपया घर पर रहें और अपना पहचान पत्र साथ रखें। '.repeat(6),
};
const SECONDS = 4;
const CONNECTIONS = 16;

/** Seconds of speech a CPU second, in a process of its own: engine, filter and all. The first text meets a cold engine. */
function speechPerCpuSecond(language) {
  const script = `
    import { SpeechPool } from './dist/modules/src/modules/audio/speech/speech.js';
    import { spokenText } from './dist/modules/src/modules/audio/spoken-text.js';
    const pool = new SpeechPool({ SPEECH_THREADS: 1 });
    const rates = [];
    for (let round = 0; round <= ${ROUNDS}; round++) {
      const before = process.cpuUsage();
      const { samples } = await pool.speak('${language}', spokenText(${JSON.stringify(LANGUAGES[language])} + round), 120_000);
      const { user, system } = process.cpuUsage(before);
      rates.push(samples.length / 8_000 / ((user + system) / 1e6));
    }
    console.log(JSON.stringify(rates));
    await pool.onApplicationShutdown();`;
  const args = ['--import', 'reflect-metadata', '--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: fileURLToPath(new URL('..', import.meta.url)) });
  if (stdout.length === 0) throw new Error(String(stderr));
  const [cold, ...warm] = JSON.parse(String(stdout));
  return { cold, warm };
}

/**
 * (h) Seconds of speech per CPU second, and how long a voice campaign of one contact takes whose text is known already:
 * over the same with an unknown text, one at a time, and at several connections at once.
 */
export async function benchSpeech(environment, say) {
  const lines = [];
  for (const language of Object.keys(LANGUAGES)) {
    const { cold, warm } = speechPerCpuSecond(language);
    say(`${language}: ${warm.map((rate) => rate.toFixed(0)).join(', ')} s of speech a CPU second`);
    lines.push(
      `(h) speech, ${language}: ${median(warm).toFixed(0)} seconds a CPU second (first text ${cold.toFixed(0)})`,
    );
  }
  const set = await stage(environment);
  try {
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await admin.call('POST', '/v6/api/admin/accounts/bench/credits', { balance: 'voice_credits', amount: 100_000_000 });
    await admin.call('PUT', '/v6/api/admin/routes/bench-voice', {
      channel: 'voice',
      driver: 'twilio',
      is_default: true,
      config: {
        account_sid: `AC${'0'.repeat(32)}`,
        auth_token: 'bench-token',
        base_url: api.url,
        from: '918000000001',
      },
    });
    const bodyOf = (message) => ({ broadcast_name: 'bench', message, contacts: ['919000000001'] });
    const timed = async (message) => {
      const started = performance.now();
      await client.call('POST', '/v6/api/v1/voice/send', bodyOf(message));
      return performance.now() - started;
    };
    await timed(TEXT);
    const known = [];
    const fresh = [];
    for (let round = 0; round < 4 * ROUNDS; round++) {
      fresh.push(await timed(`${TEXT} ${round}`));
      known.push(await timed(TEXT));
    }
    const { requests, latency, non2xx } = await autocannon({
      url: `${api.url}/v6/api/v1/voice/send`,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${client.token}` },
      body: JSON.stringify(bodyOf(TEXT)),
      connections: CONNECTIONS,
      duration: SECONDS,
    });
    if (non2xx > 0) throw new Error(`${non2xx} requests were refused`);
    say(`known text ${median(known).toFixed(1)} ms, new text ${median(fresh).toFixed(1)} ms`);
    lines.push(
      verdict(
        '(h) voice send, known text / new text of 8 s',
        median(known) / median(fresh),
        'at most 0.5',
        `known ${median(known).toFixed(1)} ms, new ${median(fresh).toFixed(1)} ms; ` +
          `${CONNECTIONS} at once: ${requests.average.toFixed(0)}/s, median ${latency.p50} ms`,
      ),
    );
    return lines;
  } finally {
    await set.close();
  }
}
