import type { Response } from 'express';
import type { Follow } from '../queries/watch-campaign.query.js';
import type { CampaignData } from './campaign.dto.js';

/** Unsent bytes at which a reader is taken for stalled; a view is a few hundred. */
const MOST_UNSENT = 256 * 1024;
const RECONNECT_MS = 3_000;

/**
 * Answers with server-sent events: `progress` at once and after every change, a comment while nothing changes, and `end`
 * as the last one when the campaign is over. Closed without it, a client connects again by itself.
 * @throws what beginning to follow throws, before the first byte
 */
export function streamProgress(response: Response, follow: Follow): void {
  const write = (text: string): void => {
    if (response.writableLength > MOST_UNSENT) response.destroy();
    else if (!response.destroyed) response.write(text);
  };
  // A view that is known already, and the end of an instance that stops, come while following begins, before the headers.
  const early: string[] = [];
  const state = { begun: false, ended: false };
  const send = (text: string): void => {
    if (state.begun) write(text);
    else early.push(text);
  };
  const stop = follow({
    changed: (view: CampaignData) => send(`event: progress\ndata: ${JSON.stringify(view)}\n\n`),
    quiet: () => send(': nothing new\n\n'),
    ended: (over) => {
      if (over) send('event: end\ndata: {}\n\n');
      state.ended = true;
      if (state.begun) response.end();
    },
  });
  response.on('close', stop);
  response.status(200).set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    // Proxies that gather an answer before they hand it on would hide it.
    'X-Accel-Buffering': 'no',
  });
  state.begun = true;
  write(`retry: ${RECONNECT_MS}\n\n${early.join('')}`);
  if (state.ended) response.end();
}
