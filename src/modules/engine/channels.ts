import { type DynamicModule, Global, Inject, Injectable, Module, Optional } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { queueOf, type ShownQueue } from '../../platform/queues/index.js';
import type { CampaignRecord } from './campaign.js';
import type { Channel, Services, TimelineEvent } from './channel.js';

export const CHANNEL_LIST = Symbol('channels');

/** The channels of this process, in the order of the app's list. */
@Injectable()
export class Channels {
  private readonly byName: ReadonlyMap<string, Channel>;
  readonly services: Services;

  constructor(
    @Inject(CHANNEL_LIST) readonly all: readonly Channel[],
    @Optional() moduleRef?: ModuleRef,
  ) {
    this.byName = new Map(all.map((channel) => [channel.name, channel]));
    this.services = (provider) => {
      if (!moduleRef) throw new Error(`no ${provider.name} without the modules of an app`);
      return moduleRef.get(provider, { strict: false });
    };
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  /** Names of the channels whose sends can be priced in advance. */
  static quotable(channels: readonly Channel[]): string[] {
    return channels.flatMap(({ name, quote, quotesRequests }) => (quote || quotesRequests ? [name] : []));
  }

  get queues(): ShownQueue[] {
    return this.all.flatMap(({ name, title }) => [
      { name: queueOf(name, { single: false }), purpose: `route jobs of ${title} routes` },
      { name: queueOf(name, { single: true }), purpose: `urgent route jobs of ${title} routes` },
    ]);
  }

  /** Distinct status events: those of one channel first, then shared ones. */
  get eventTypes(): string[] {
    const isShared = (type: string): number => (this.all.filter(({ event }) => event === type).length > 1 ? 1 : 0);
    return [...new Set(this.all.map(({ event }) => event))].sort((a, b) => isShared(a) - isShared(b));
  }

  find(name: string): Channel | null {
    return this.byName.get(name) ?? null;
  }

  /** @throws Error for a channel that this process does not have */
  get(name: string): Channel {
    const channel = this.find(name);
    if (!channel) throw new Error(`this process has no channel ${name}`);
    return channel;
  }
}

/** Provides an app's channels to all its modules: `ChannelsModule.of(CHANNELS)`. */
@Global()
@Module({})
export class ChannelsModule {
  static of(channels: readonly Channel[]): DynamicModule {
    return {
      module: ChannelsModule,
      providers: [{ provide: CHANNEL_LIST, useValue: channels }, Channels],
      exports: [Channels],
    };
  }
}

/** A module that adds events to recipients' timelines, such as webhook attempts. */
export interface TimelineSource {
  timelineOf(campaign: CampaignRecord, seq: number): Promise<TimelineEvent[]>;
}

/** Timeline sources other than engine and channel; modules register at start. */
@Injectable()
export class TimelineSources {
  private readonly sources: TimelineSource[] = [];

  register(source: TimelineSource): void {
    this.sources.push(source);
  }

  async timelineOf(campaign: CampaignRecord, seq: number): Promise<TimelineEvent[]> {
    const parts = await Promise.all(this.sources.map((source) => source.timelineOf(campaign, seq)));
    return parts.flat();
  }
}
