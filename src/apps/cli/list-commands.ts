import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type CampaignListOptions,
  listAccounts,
  listCampaigns,
  listRoutes,
  type ListOptions,
  showRates,
} from './commands/lists.js';
import { SEND_CHANNELS } from './commands/send.js';
import type { WithApi } from './api-client.js';

const MOST = 1_000;

/** Lists: campaigns for everybody, the others for staff. */
export function addListCommands(program: Command, withApi: WithApi): void {
  paged(program.command('list'))
    .description('list campaigns, newest first')
    .option('--state <state>', 'such as running, paused or completed')
    .addOption(new Option('--channel <channel>', 'of one channel').choices(SEND_CHANNELS))
    .option('--search <text>', 'part of the name or the request id')
    .option('--from <day>', 'from this day or time on')
    .option('--to <day>', 'up to this day or time')
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
