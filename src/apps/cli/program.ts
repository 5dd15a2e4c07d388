import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { ApiClient, type WithApi } from './api-client.js';
import { grantCredits, proveBalances } from './commands/credits.js';
import type { NewAdminOptions } from './commands/database.js';
import { addCampaignCommands } from './campaign-commands.js';
import { EXIT, Failure } from './failure.js';
import { addListCommands } from './list-commands.js';

const MOST_AT_ONCE = 1_000_000_000;
const FOOT = `
Exit codes: 0 done; 1 refused or failed; 2 wrong use; 3 done, but a campaign did not complete or a balance is wrong;
124 the time of --timeout is up; 130 interrupted.
--json prints what the API answers as JSON on a line of its own; errors stay texts on standard error.
Who you are is told by --user, SWITCHBOARD_TOKEN (token of a login) or SWITCHBOARD_API_KEY. Passwords are asked for, or
read from standard input; neither they nor tokens and keys stand on the command line, where others could read them.`;

/** Nest and the database are loaded for the commands that need them only: the others answer at once. */
const database = () => import('./commands/database.js');

const copies = () => import('./commands/backup.js');

/** Options of every command. */
interface Global {
  url: string;
  token?: string;
  apiKey?: string;
  user?: string;
  json?: boolean;
}

/** The operator's command line. Commands over the API need its URL and a login; the others need DATABASE_URL. */
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
  addListCommands(program, withApi);
  addAccountCommands(program, withApi);
  addDatabaseCommands(program);
  addCopies(program);
  return program;
}

/** Accounts of the staff and their credits. */
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

/** What must work when the API does not. */
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

/** Copies of the database (docs/operate/backup.md). */
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
    .action(async () => (await copies()).noteCopy());
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

/** commander reads the environment through options alone; a secret given as one is refused. */
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

/** Commands that do not go through the API have no answers of it. */
const ON_DATABASE = new Set([
  ...['create-admin', 'requeue', 'directory-fill', 'keep-tables'],
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
