import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { ApiClient, type WithApi } from './api-client.js';
import {
  changeCampaign,
  retryCampaign,
  type RetryOptions,
  showCampaign,
  watch,
  type WatchOptions,
} from './campaign.js';
import {
  type CampaignListOptions,
  listAccounts,
  listCampaigns,
  type ListOptions,
  listRoutes,
  showRates,
} from './lists.js';
import { grantCredits, proveBalances } from './credits.js';
import {
  listMessages,
  MESSAGE_CHANNELS,
  type MessageListOptions,
  type MessageOptions,
  sendMessage,
  showMessage,
} from './messages.js';
import type { LostLogin, NewAdminOptions } from './operator.js';
import { send, SEND_CHANNELS, type SendOptions } from './send.js';
import { EXIT, Failure } from './terminal.js';
import { addVerificationCommands } from './verify.js';

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

function addCampaignCommands(program: Command, withApi: WithApi): void {
  program
    .command('send')
    .description('send a broadcast to the numbers of a CSV or .xlsx file and watch it')
    .argument('<file>')
    .requiredOption('--name <name>', 'name of the broadcast')
    .addOption(new Option('--channel <channel>', 'where to').choices(SEND_CHANNELS).default('sms'))
    .option('--column <head>', 'column of the numbers; else the first with a usual name, else the first')
    .option('--schedule <time>', 'YYYY-MM-DD HH:MM:SS in the account’s time zone, or ISO 8601')
    .addOption(
      new Option('--late <rule>', 'what happens if a scheduled send begins late').choices(['send', 'expire', 'hold']),
    )
    .option('--late-after <seconds>', 'what counts as late (60)', whole)
    .option(
      '--skip-faults',
      'leave out rows at fault and say which; not for voice. In a text, {{head}} stands for that column then',
    )
    .option('--remove-duplicates', 'one message for each person, the first row stays; not for voice. {{head}} as above')
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
    .option('--flatten', 'replace line breaks, tabs and more than four blanks in values by one blank')
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
    .option('--include <reasons>', 'also those that failed for these reasons: permanent,opt_out')
    .option('--quote', 'only say how many for which reason, and what they cost')
    .option('--no-watch', 'do not wait for its end')
    .addOption(timeout())
    .action((requestId: string, options: RetryOptions) =>
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

function addMessageCommands(program: Command, withApi: WithApi): void {
  const message = program.command('message').description('send one message; show and list what was sent and received');
  message
    .command('send')
    .description('send one message to one number')
    .argument('<to>', 'number with + and country code')
    .argument('[text]', 'what is sent; not with --template')
    .addOption(new Option('--channel <channel>', 'where to').choices(MESSAGE_CHANNELS).default('sms'))
    .option('--ref <client_ref>', 'an id of your own: a second run with it sends nothing twice (default: one is made)')
    .option('--metadata <json>', 'an object that comes back in the events')
    .option('--schedule <time>', 'YYYY-MM-DD HH:MM:SS in the account’s time zone, or ISO 8601')
    .optionsGroup('SMS:')
    .option('--sender-id <sender>', 'an approved sender id')
    .option('--route <route>', 'an unknown one takes the default route')
    .optionsGroup('Templates:')
    .option('--template <name>', 'an approved template of the account')
    .option('--language <code>', 'such as en_US')
    .option('--param <text>', 'the next parameter of its body', collect)
    .action((to: string, text: string | undefined, options: MessageOptions) =>
      withApi((api, json) => sendMessage(api, to, text, { ...options, json })),
    );
  message
    .command('show')
    .description('show one message')
    .argument('<id>', 'such as out_374100212563968_1')
    .action((id: string) => withApi((api, json) => showMessage(api, id, { json })));
  paged(message.command('list'))
    .description('list messages sent and received, newest first')
    .addOption(new Option('--direction <direction>', 'only these').choices(['inbound', 'outbound']))
    .option('--number <number>', 'sent to it, or received from it')
    .option('--from <day>', 'from this day or time on')
    .option('--to <day>', 'up to this day or time')
    .option('--test', 'what was sent with test keys')
    .action((options: MessageListOptions) => withApi((api, json) => listMessages(api, { ...options, json })));
}

const MOST = 1_000;

function addListCommands(program: Command, withApi: WithApi): void {
  paged(program.command('list'))
    .description('list campaigns, newest first')
    .option('--state <state>', 'such as running, paused or completed')
    .addOption(new Option('--channel <channel>', 'of one channel').choices(SEND_CHANNELS))
    .option('--search <text>', 'part of the name or the request id')
    .option('--from <day>', 'from this day or time on')
    .option('--to <day>', 'up to this day or time')
    .option('--test', 'what was sent with test keys')
    .option('--all', 'of all accounts (staff)')
    .option('--username <name>', 'of this account (staff)')
    .action((options: CampaignListOptions) => withApi((api, json) => listCampaigns(api, { ...options, json })));
  paged(program.command('routes'))
    .description('list the routes to carriers and how they are (staff)')
    .action((options: ListOptions) => withApi((api, json) => listRoutes(api, { ...options, json })));
  paged(program.command('accounts'))
    .description('list accounts (staff, and resellers their clients)')
    .argument('[text]', 'part of the username, e-mail, mobile number or name')
    .action((text: string | undefined, options: ListOptions) =>
      withApi((api, json) => listAccounts(api, text, { ...options, json })),
    );
  paged(program.command('rates'))
    .description('list rate plans, or what one plan says (staff)')
    .argument('[plan]')
    .action((plan: string | undefined, options: ListOptions) =>
      withApi((api, json) => showRates(api, plan, { ...options, json })),
    );
}

const paged = (command: Command): Command =>
  command
    .addOption(new Option('--limit <count>', 'how many at most').argParser(limit).default(50))
    .option('--cursor <cursor>', 'go on where the list before ended');

function limit(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MOST)
    throw new InvalidArgumentError(`a whole number from 1 to ${MOST}`);
  return value;
}

const MOST_AT_ONCE = 1_000_000_000;
const FOOT = `
Exit codes: 0 done; 1 refused or failed; 2 wrong use; 3 done, but a campaign did not complete or a balance is wrong;
124 the time of --timeout is up; 130 interrupted.
--json prints what the API answers as JSON on a line of its own; errors stay texts on standard error.
Who you are is told by --user, SWITCHBOARD_TOKEN (token of a login) or SWITCHBOARD_API_KEY. Passwords are asked for, or
read from standard input; neither they nor tokens and keys stand on the command line, where others could read them.`;

// Loaded on demand: commands that do not need Nest and the database start faster.
const database = () => import('./operator.js');

const copies = () => import('./backup/backup.js');

interface Global {
  url: string;
  token?: string;
  apiKey?: string;
  user?: string;
  json?: boolean;
}

/** The operator's command line. API commands need its URL and a login, the others need DATABASE_URL. */
export function createProgram(): Command {
  const program = new Command('npm run cli --')
    .description("The operator's command line of Switchboard")
    .addOption(new Option('--url <url>', 'address of the API').env('SWITCHBOARD_URL').default('http://127.0.0.1:3000'))
    .addOption(new Option('--user <name>', 'log in as; asks for the password').env('SWITCHBOARD_USER'))
    .addOption(new Option('--token <token>').env('SWITCHBOARD_TOKEN').hideHelp())
    .addOption(new Option('--api-key <key>').env('SWITCHBOARD_API_KEY').hideHelp())
    .option('--json', 'print answers of the API as JSON')
    .hook('preAction', refuseSecretsInSight)
    .hook('preAction', refuseJsonOfDatabase)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(add --help for help)')
    .addHelpText('after', FOOT);

  const withApi: WithApi = async (work) => {
    const { json = false, ...access } = program.opts<Global>();
    const api = new ApiClient(access);
    try {
      await work(api, json);
    } finally {
      await api.close();
    }
  };

  addCampaignCommands(program, withApi);
  addMessageCommands(program, withApi);
  addVerificationCommands(program, withApi);
  addListCommands(program, withApi);
  addAccountCommands(program, withApi);
  addDatabaseCommands(program);
  addCopies(program);
  return program;
}

function addAccountCommands(program: Command, withApi: WithApi): void {
  program
    .command('create-admin')
    .description('make an account of the staff (works on the database)')
    .argument('<username>')
    .addOption(new Option('--type <type>', 'super may do everything').choices(['super', 'admin']).default('admin'))
    .option('--firstname <name>', 'first name', 'First')
    .option('--lastname <name>', 'last name', 'Admin')
    .action(async (username: string, options: NewAdminOptions) => (await database()).createAdmin(username, options));
  program
    .command('reset-login')
    .description('let an account in again that lost its login, such as the last super (works on the database)')
    .argument('<username>')
    .option('--password', 'ask for a new password')
    .option('--second-factor', 'remove its second factors and recovery codes')
    .option('--open', 'it is closed or expired: make it active, without an end')
    .action(async (username: string, lost: LostLogin) => (await database()).resetLogin(username, lost));
  program
    .command('grant-credits')
    .description('grant credits to an account; a negative amount takes back (write: -- -50)')
    .argument('<username>')
    .argument('<balance>', 'such as gsm_credits')
    .addArgument(new Argument('<amount>', 'whole number').argParser(wholeNumber))
    .option('--note <text>', 'stands in the ledger')
    .action((username: string, balance: string, amount: number, options: { note?: string }) =>
      withApi((api, json) => grantCredits(api, username, balance, amount, { ...options, json })),
    );
  program
    .command('prove-balances')
    .description('hold every stored balance against the sum of its ledger')
    .argument('[username]', 'one account; else all')
    .option('--closings', 'and every month’s closing against its entries')
    .action((username: string | undefined, options: { closings?: true }) =>
      withApi((api, json) => proveBalances(api, username, { ...options, json })),
    );
}

// These must work while the API is down.
function addDatabaseCommands(program: Command): void {
  program
    .command('requeue')
    .description('wake what is due or stuck of a campaign (works on the database); nothing is sent twice')
    .argument('<request_id>')
    .action(async (requestId: string) => (await database()).requeue(requestId));
  program
    .command('directory-fill')
    .description('write the names of this cell into the directory of all cells (works on both databases)')
    .action(async () => (await database()).fillDirectory());
  program
    .command('keep-tables')
    .description('make the days to come and remove what RETENTION_DAYS keeps no longer, now (works on the database)')
    .action(async () => (await database()).keepTables());
}

function addCopies(program: Command): void {
  program
    .command('backup')
    .description('write a consistent copy of the database (works on the database)')
    .argument('<directory>', 'a new one')
    .option('--verify', 'read it again and hold it against its manifest')
    .action(async (directory: string, options: { verify?: boolean }) => (await copies()).backup(directory, options));
  program
    .command('note-backup')
    .description('note that a copy was made now by other means, for its alarm (works on the database)')
    .action(async () => (await copies()).recordCopy());
  program
    .command('restore')
    .description('load a copy into an empty database; what may have left since is never sent again')
    .argument('<directory>')
    .option('--check', 'only say whether the copy is whole and can be restored here')
    .option('--resume-unsent', 'nothing has left since the copy: send what it had not sent')
    .option(
      '--accept-unsigned',
      'load a copy that was not signed under a key of this installation: you know its origin',
    )
    .action(async (directory: string, options: { check?: boolean; resumeUnsent?: boolean; acceptUnsigned?: boolean }) =>
      (await copies()).restore(directory, options),
    );
  program
    .command('fence')
    .description('the same for a database that came back by other means, before any process uses it')
    .action(async () => (await copies()).fence());
  program
    .command('undecided')
    .description('list what a restore has left undecided')
    .action(async () => (await copies()).undecided());
  program
    .command('resume-unsent')
    .description('send what a restore has left undecided: recipients that were sent to since the copy get it twice')
    .argument('[request_id]')
    .option('--all', 'of all campaigns')
    .action(async (requestId: string | undefined, options: { all?: boolean }) =>
      (await copies()).resumeUnsent(requestId, options),
    );
}

// Other users can read command lines; commander reads the environment through options only.
function refuseSecretsInSight(program: Command): void {
  for (const [option, variable] of [
    ['token', 'SWITCHBOARD_TOKEN'],
    ['apiKey', 'SWITCHBOARD_API_KEY'],
  ] as const) {
    if (program.getOptionValueSource(option) === 'cli') {
      throw new Failure(`Use ${variable}: everybody on this machine can read the command line`, EXIT.usage);
    }
  }
}

const ON_DATABASE = new Set([
  ...['create-admin', 'reset-login', 'requeue', 'directory-fill', 'keep-tables'],
  ...['backup', 'note-backup', 'restore', 'fence', 'undecided', 'resume-unsent'],
]);

function refuseJsonOfDatabase(program: Command, command: Command): void {
  if (program.opts<Global>().json && ON_DATABASE.has(command.name())) {
    throw new Failure(`--json does not go with ${command.name()}, which works on the database`, EXIT.usage);
  }
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || value === 0 || Math.abs(value) > MOST_AT_ONCE) {
    throw new InvalidArgumentError(`a whole number other than 0, at most ${MOST_AT_ONCE}`);
  }
  return value;
}
