import { readFile } from 'node:fs/promises';
import type { ApiClient } from '../api-client.js';
import { contactsOf } from '../contacts-file.js';
import { EXIT, Failure } from '../failure.js';
import { print } from '../terminal.js';
import { watch } from './watch.js';

const PATHS = {
  sms: '/webhook/api/addbroadcastgsm.php',
  unofficial: '/webhook/api/addbroadcastUnofficial.php',
} as const;

export type SendChannel = keyof typeof PATHS;
export const SEND_CHANNELS = Object.keys(PATHS) as SendChannel[];

/** Options of `send`. */
export interface SendOptions {
  channel: SendChannel;
  name: string;
  service: string;
  message: string;
  column?: string;
  id?: string;
  schedule?: string;
  watch: boolean;
}

/** Sends one broadcast to the numbers of a CSV file and follows it to its end. */
export async function send(api: ApiClient, file: string, options: SendOptions): Promise<void> {
  if (options.id !== undefined && options.channel !== 'sms') {
    throw new Failure('--id goes with --channel sms: elsewhere a second run would send twice', EXIT.usage);
  }
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`);
  });
  const contacts = contactsOf(text, options.column);
  if (contacts === null) throw new Failure(`${file} has no column "${options.column ?? ''}"`);
  if (contacts.length === 0) throw new Failure(`${file} has no numbers`);
  const { request_id: requestId, Credits: credits } = await api.call<{ request_id: string; Credits: number }>(
    'POST',
    PATHS[options.channel],
    {
      broadcast_name: options.name,
      brodcast_service: options.service,
      message: options.message,
      contacts,
      ...(options.id === undefined ? {} : { providermessageid: options.id }),
      ...(options.schedule === undefined ? {} : { schedule_time: options.schedule }),
    },
  );
  print(`${requestId}: accepted for ${contacts.length} contacts, ${credits} credits`);
  if (options.watch) await watch(api, requestId);
}
