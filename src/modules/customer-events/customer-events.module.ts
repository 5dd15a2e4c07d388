import { Module } from '@nestjs/common';
import { CustomerEvents } from './customer-events.js';

/** The place where features and webhooks meet without knowing each other. */
@Module({ providers: [CustomerEvents], exports: [CustomerEvents] })
export class CustomerEventsModule {}
