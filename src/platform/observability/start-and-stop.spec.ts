import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { Drain } from './start-and-stop.js';

describe('drain', () => {
  let drain: Drain;
  const watched = (): ServerResponse => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    drain.watch(response);
    return response;
  };
  const endsConnection = (response: ServerResponse): boolean => response.getHeader('connection') === 'close';

  beforeEach(() => (drain = new Drain()));

  it('leaves connections as they are until it begins', () => {
    const response = watched();
    expect([drain.begun, endsConnection(response)]).toEqual([false, false]);
  });

  it('lets every answer under way end its connection, also where others have ended before', () => {
    const [first, second, third] = [watched(), watched(), watched()];
    second.emit('close');
    const fourth = watched();
    first.emit('close');
    drain.begin();
    expect(drain.begun).toBe(true);
    expect([first, second, third, fourth].map(endsConnection)).toEqual([false, false, true, true]);
  });

  it('lets those that come later end theirs', () => {
    drain.begin();
    expect(endsConnection(watched())).toBe(true);
  });

  it('leaves answers alone whose headers have left', () => {
    const response = watched();
    response.writeHead(200);
    drain.begin();
    expect(endsConnection(response)).toBe(false);
  });
});
