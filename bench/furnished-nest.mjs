/**
 * The floor of the accept benchmarks: a Nest application as furnished as ours (helmet, cookies, request id, a log line, a
 * passport guard with its key as KeyObject, a validated DTO, the command bus), whose handler answers a constant. No database,
 * no limits, nothing of ours.
 */
import 'reflect-metadata';
import { createSecretKey, randomUUID } from 'node:crypto';
import { Body, Controller, Get, HttpCode, Module, Post, UseGuards, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CommandHandler, CqrsModule } from '@nestjs/cqrs';
import { AuthGuard, PassportModule, PassportStrategy } from '@nestjs/passport';
import { IsArray, IsString } from 'class-validator';
import cookieParser from 'cookie-parser';
import helmet from 'helmet';
import { Strategy } from 'passport-jwt';
import { destination, pino } from 'pino';

/** What decorators do, without a compiler. */
const decorate = (target, name, types, ...decorators) => {
  Reflect.defineMetadata('design:paramtypes', types, target, name);
  Reflect.decorate(decorators, target, name, Object.getOwnPropertyDescriptor(target, name));
};

class BroadcastDto {}
for (const name of ['broadcast_name', 'brodcast_service', 'message']) IsString()(BroadcastDto.prototype, name);
IsArray()(BroadcastDto.prototype, 'contacts');

class SendCommand {
  constructor(body, username) {
    Object.assign(this, { body, username });
  }
}
class SendHandler {
  async execute({ body, username }) {
    return {
      request_id: 'GSMCAMP_20261122_ABCDEF',
      status: 'PP1',
      message: 'Success',
      url: '1',
      username,
      Credits: body.contacts.length,
    };
  }
}
CommandHandler(SendCommand)(SendHandler);

class TokenStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor() {
    super({
      jwtFromRequest: ({ headers }) => headers.authorization?.slice('Bearer '.length) ?? null,
      algorithms: ['HS256'],
      secretOrKey: createSecretKey(Buffer.from(process.env.JWT_SECRET, 'utf8')),
    });
  }

  validate({ data }) {
    return data;
  }
}

class BroadcastController {
  constructor(commands) {
    this.commands = commands;
  }

  send(body) {
    return this.commands.execute(new SendCommand(body, 'bench'));
  }

  live() {
    return { status: 'ok' };
  }
}
Controller()(BroadcastController);
Reflect.defineMetadata('design:paramtypes', [CommandBus], BroadcastController);
Body()(BroadcastController.prototype, 'send', 0);
decorate(
  BroadcastController.prototype,
  'send',
  [BroadcastDto],
  Post('webhook/api/addbroadcastgsm.php'),
  HttpCode(200),
  UseGuards(AuthGuard('jwt')),
);
decorate(BroadcastController.prototype, 'live', [], Get('health/live'));

class FurnishedModule {}
Module({
  imports: [CqrsModule.forRoot(), PassportModule],
  controllers: [BroadcastController],
  providers: [SendHandler, TokenStrategy],
})(FurnishedModule);

const app = await NestFactory.create(FurnishedModule, { logger: false });
const logger = pino({ base: null }, destination({ fd: 1, sync: false }));
app.use((request, response, next) => {
  request.id = request.headers['x-request-id'] ?? randomUUID();
  response.setHeader('X-Request-Id', request.id);
  const begun = performance.now();
  response.on('close', () => {
    const { id, method, path } = request;
    logger.info({ requestId: id, method, path, status: response.statusCode, ms: performance.now() - begun }, 'request');
  });
  next();
});
app.use(helmet());
app.use(cookieParser());
app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
await app.listen(process.env.PORT, '127.0.0.1');
