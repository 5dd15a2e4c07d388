import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from 'node:http';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import { createHttpServer, endWithAnswer } from './http-server.js';

/**
 * Express on a server whose requests and answers are what Express makes of them from the start. Express gives each of them
 * another prototype otherwise, whereupon V8 makes a hidden class for each alone (nodejs/node#37457, expressjs/express#5998):
 * that costs a small request more than half of its time in Express (docs/decisions/0065). TLS is the business of what stands
 * in front.
 */
export class ExpressServer extends ExpressAdapter {
  override initHttpServer(options: NestApplicationOptions): void {
    if (options.httpsOptions || options.forceCloseConnections) throw new Error('not an option of this server');
    const app = this.getInstance<Express>();
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {
      // `super` is what Express has, which stands between this class and Node's
      override writeHead(status: number, ...more: never[]): this {
        endWithAnswer(this.req, this);
        return super.writeHead(status, ...more);
      }
    }
    // Between these classes and Node's stand the prototypes of Express, which only sets one that is another one.
    Object.setPrototypeOf(ExpressRequest.prototype, app.request);
    Object.setPrototypeOf(ExpressResponse.prototype, app.response);
    Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
    const classes = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
    this.httpServer = createHttpServer(app as RequestListener, classes as ServerOptions);
  }
}
