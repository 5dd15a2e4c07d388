import { type Command, Option } from 'commander';
import type { ApiClient, WithApi } from './api-client.js';
import { EXIT, Failure, plain, print, printJson } from './terminal.js';

const PATH = '/v6/api/verifications';

const VERIFICATION_CHANNELS = ['sms', 'voice', 'chat'] as const;

interface VerifyOptions {
  channel?: (typeof VERIFICATION_CHANNELS)[number][];
  json?: boolean;
  app?: string;
  locale?: string;
  length?: string;
  ttl?: string;
  template?: string;
  chatTemplate?: string;
  ref?: string;
}

interface Started {
  data: { id: string; status: string; channel: string; credits: number; next_at: string | null };
  warnings?: { message: string }[];
}

/** Sends a code to a number (reference/verifications#start). @throws Failure what the API refused */
async function startVerification(api: ApiClient, to: string, options: VerifyOptions): Promise<void> {
  const { channel, app, locale, length, ttl, template, chatTemplate, ref, json } = options;
  const body = { to, channels: channel, app, locale, length, ttl_s: ttl, template, chat_template: chatTemplate, ref };
  const answer = await api.call<Started>('POST', PATH, body);
  const { id, status, credits, next_at: next } = answer.data;
  if (json) printJson(answer);
  else
    print(`${id}: ${status} over ${answer.data.channel}, ${credits} credits${next === null ? '' : `, next ${next}`}`);
  for (const { message } of answer.warnings ?? []) process.stderr.write(`Warning: ${plain(message)}\n`);
}

/** Checks a code (reference/verifications#check). @throws Failure 3 unless it is approved */
async function checkVerification(
  api: ApiClient,
  id: string,
  code: string,
  { json = false }: { json?: boolean },
): Promise<void> {
  const path = `${PATH}/${encodeURIComponent(id)}/check`;
  const { data } = await api.call<{ data: { status: string; attempts_left: number } }>('POST', path, { code });
  const { status, attempts_left: left } = data;
  if (json) printJson(data);
  else if (status === 'approved') print(status);
  if (status === 'approved') return;
  throw new Failure(status === 'pending' ? `wrong code, ${left} attempts left` : status, EXIT.notAsItShould);
}

/** Adds `verify start` and `verify check`. */
export function addVerificationCommands(program: Command, withApi: WithApi): void {
  const verify = program.command('verify').description('prove a telephone number by a code');
  verify
    .command('start')
    .description('send a code to a number')
    .argument('<to>', 'number with + and country code')
    .addOption(
      new Option('--channel <channels...>', 'in the order in which they are tried').choices(VERIFICATION_CHANNELS),
    )
    .option('--app <name>', 'your name in the text')
    .option('--locale <locale>', 'language of the text, such as pt-BR')
    .option('--length <digits>', 'of the code')
    .option('--ttl <seconds>', 'until it expires')
    .option('--template <name>', 'one of the operator’s texts')
    .option('--chat-template <name>', 'chat: your approved authentication template')
    .option('--ref <ref>', 'an id of your own')
    .action((to: string, options: VerifyOptions) =>
      withApi((api, json) => startVerification(api, to, { ...options, json })),
    );
  verify
    .command('check')
    .description('check a code; the exit code is 0 if it is approved')
    .argument('<id>', 'such as ver_374100212563968')
    .argument('<code>')
    .action((id: string, code: string) => withApi((api, json) => checkVerification(api, id, code, { json })));
}
