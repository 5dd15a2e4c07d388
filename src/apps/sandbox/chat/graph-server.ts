import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Faults } from '../faults.js';
import { answerAsBadProxy } from '../http-exchange.js';
import { ChatMessages } from './chat-messages.js';
import { ChatProfiles, ChatUploads } from './chat-profiles.js';
import {
  GraphCode,
  GraphError,
  type GraphAnswer,
  type GraphRequest,
  readGraphRequest,
  readJson,
} from './graph-request.js';
import { TemplateReviews } from './templates.js';

const HUGE_ANSWER = JSON.stringify({ messages: 'x'.repeat(2 * 1024 * 1024) });
const WORTHLESS_TOKEN = 'bad-token';

/** The chat provider: the Graph API's paths, shapes and errors, on the bare server so that it never limits a campaign. */
@Injectable()
export class GraphServer {
  constructor(
    private readonly faults: Faults,
    private readonly messages: ChatMessages,
    private readonly profiles: ChatProfiles,
    private readonly uploads: ChatUploads,
    private readonly templates: TemplateReviews,
  ) {}

  /** Discards messages in progress; accounts, profiles and templates stay. */
  clear(): void {
    this.messages.clear();
  }

  /** Answers one request; never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { answerDelayMs, stopAnswering } = this.faults.current;
      const answer = await this.answerTo(request);
      if (answer.drop) return void request.socket.destroy();
      if (stopAnswering || (answer.sends && answerAsBadProxy(response, this.faults.current))) return;
      if (answerDelayMs > 0) await sleep(answerDelayMs);
      this.write(response, answer);
    } catch {
      // the client disconnected during its request
      request.socket.destroy();
    }
  }

  private async answerTo(request: IncomingMessage): Promise<GraphAnswer & { sends: boolean; drop: boolean }> {
    const read = await readGraphRequest(request);
    const sends = read?.edge === 'messages' && read.method === 'POST';
    const answer = await this.answer(read).catch((error: unknown) => {
      if (error instanceof GraphError) return { status: error.status, body: error.body };
      throw error;
    });
    return { ...answer, sends, drop: sends && this.faults.dropsNow() };
  }

  private async answer(request: GraphRequest | null): Promise<GraphAnswer> {
    const { chatAnswer, chatError, refuseAll } = this.faults.current;
    if (refuseAll) throw new GraphError(503, GraphCode.Temporary, 'Service temporarily unavailable');
    if (chatError) throw new GraphError(chatError.status, chatError.code, chatError.message, chatError.details ?? null);
    // Both answers are written below; nothing is executed.
    if (chatAnswer === 'server error' || chatAnswer === 'redirect') return { status: 200, body: {} };
    if (request) checkToken(request);
    const answer = request && (await this.route(request));
    if (answer) return answer;
    const what = `Unsupported request. Object with ID '${request?.node ?? ''}' does not exist`;
    throw new GraphError(400, GraphCode.InvalidParameter, what, null, 33);
  }

  private async route(request: GraphRequest): Promise<GraphAnswer | null> {
    const { method, node, edge } = request;
    if (edge === 'messages') return method === 'POST' ? this.messages.send(node, readJson(request)) : null;
    if (edge === 'whatsapp_business_profile') {
      if (method === 'GET') return this.profiles.read(node, request.query.get('fields'));
      return method === 'POST' ? this.profiles.change(node, readJson(request)) : null;
    }
    if (edge === 'uploads') return method === 'POST' ? this.uploads.open(request) : null;
    if (edge === 'message_templates') return this.templates.collection(request);
    if (edge !== '') return null;
    return node.startsWith('upload:') ? this.uploads.continue(request) : this.templates.single(request);
  }

  private write(response: ServerResponse, { status, body }: GraphAnswer): void {
    switch (this.faults.current.chatAnswer) {
      case 'server error':
        response.writeHead(502, { 'content-type': 'text/html' }).end('<html><body>Bad Gateway</body></html>');
        return;
      case 'redirect':
        response.writeHead(302, { location: 'https://www.example.com/' }).end();
        return;
      case 'not JSON':
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Welcome</body></html>');
        return;
      case 'huge':
        response.writeHead(200, { 'content-type': 'application/json' }).end(HUGE_ANSWER);
        return;
      case 'usual': {
        const text = JSON.stringify(body);
        const length = Buffer.byteLength(text);
        response
          .writeHead(status, { 'content-type': 'application/json; charset=UTF-8', 'content-length': length })
          .end(text);
      }
    }
  }
}

// Uploads use `OAuth`, other requests `Bearer` or the query.
function checkToken({ headers, query }: GraphRequest): void {
  const [, inHeader] = /^(?:Bearer|OAuth) (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const token = inHeader ?? query.get('access_token');
  if (!token) throw new GraphError(401, GraphCode.BadToken, 'An access token is required to request this resource.');
  if (token === WORTHLESS_TOKEN) {
    throw new GraphError(401, GraphCode.BadToken, 'Invalid OAuth access token - Cannot parse access token');
  }
}
