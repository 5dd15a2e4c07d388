import { type Command, InvalidArgumentError, Option } from 'commander';
import { changeCampaign, retryCampaign, showCampaign } from './commands/campaign.js';
import { send, SEND_CHANNELS, type SendOptions } from './commands/send.js';
import { watch, type WatchOptions } from './commands/watch.js';
import type { WithApi } from './api-client.js';

const CHANGES = {
  pause: 'stop sending, until it is resumed',
  resume: 'go on with a paused campaign',
  cancel: 'end a campaign; what has not left is refunded',
} as const;

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

const timeout = (): Option =>
  new Option('--timeout <time>', 'wait so long at most, such as 90s, 10m or 2h; then the exit code is 124').argParser(
    duration,
  );

/** Campaigns: sending, following, changing. */
export function addCampaignCommands(program: Command, withApi: WithApi): void {
  program
    .command('send')
    .description('send a broadcast to the numbers of a CSV file and watch it')
    .argument('<file.csv>')
    .requiredOption('--name <name>', 'name of the broadcast')
    .addOption(new Option('--channel <channel>', 'where to').choices(SEND_CHANNELS).default('sms'))
    .option('--column <head>', 'column of the numbers; else the first with a usual name, else the first')
    .option('--schedule <time>', 'YYYY-MM-DD HH:MM:SS in the account’s time zone, or ISO 8601')
    .option('--no-watch', 'do not wait for its end')
    .addOption(timeout())
    .optionsGroup('SMS and unofficial chat:')
    .option('--message <text>', 'what is sent, or spoken')
    .option('--service <route>', 'brodcast_service; an unknown one takes the default route (default: "default")')
    .option('--id <request_id>', 'your own request id (sms only): a second run with it sends nothing twice')
    .optionsGroup('Templates and branded campaigns:')
    .option('--template <name>', 'an approved template of the account')
    .option('--language <code>', 'of the template, such as en_US, or of the speech')
    .option('--param <text>', 'the next parameter of its body; {{head}} stands for that column of the file', collect)
    .option('--components <json>', 'other components, such as a media header')
    .optionsGroup('Voice:')
    .option('--audio <url>', 'what is played instead of a spoken message')
    .option('--caller-id <number>', 'who calls')
    .option('--menu <file.json>', 'dtmf_flow: what the keys do')
    .option('--plan <seconds>', 'billing block: 15 or 30')
    .option('--retries <count>', 'further calls to numbers that do not answer, at most 5', whole)
    .option('--retry-interval <seconds>', 'between them', whole)
    .action((file: string, options: SendOptions) => withApi((api, json) => send(api, file, { ...options, json })));
  program
    .command('watch')
    .description('follow a campaign to its end')
    .argument('<request_id>')
    .addOption(timeout())
    .action((requestId: string, options: WatchOptions) =>
      withApi((api, json) => watch(api, requestId, { ...options, json })),
    );
  program
    .command('show')
    .description('show one campaign')
    .argument('<request_id>')
    .action((requestId: string) => withApi((api, json) => showCampaign(api, requestId, { json })));
  for (const change of Object.keys(CHANGES) as (keyof typeof CHANGES)[]) {
    program
      .command(change)
      .description(CHANGES[change])
      .argument('<request_id>')
      .action((requestId: string) => withApi((api, json) => changeCampaign(api, change, requestId, { json })));
  }
  program
    .command('retry')
    .description('send again to the recipients that failed, as a campaign of its own, and watch it')
    .argument('<request_id>')
    .option('--no-watch', 'do not wait for its end')
    .addOption(timeout())
    .action((requestId: string, options: WatchOptions & { watch: boolean }) =>
      withApi((api, json) => retryCampaign(api, requestId, { ...options, json })),
    );
}

const collect = (text: string, before: string[] = []): string[] => [...before, text];

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('a whole number');
  return Number(text);
}

function duration(text: string): number {
  const [, figure, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  if (figure === undefined) throw new InvalidArgumentError('a time such as 90s, 10m or 2h');
  return Number(figure) * UNITS[unit as keyof typeof UNITS];
}
