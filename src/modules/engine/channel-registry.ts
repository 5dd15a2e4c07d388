import { Injectable } from '@nestjs/common';
import type { ChannelName } from './state/campaign.js';
import type { Channel } from './channel.js';

/** The channels of this process; each channel module registers its own at start. */
@Injectable()
export class ChannelRegistry {
  private readonly channels = new Map<ChannelName, Channel>();

  register(channel: Channel): void {
    this.channels.set(channel.name, channel);
  }

  find(name: ChannelName): Channel | null {
    return this.channels.get(name) ?? null;
  }

  /** @throws Error for a channel that this process does not have */
  get(name: ChannelName): Channel {
    const channel = this.find(name);
    if (!channel) throw new Error(`the channel ${name} is not registered in this process`);
    return channel;
  }

  names(): ChannelName[] {
    return [...this.channels.keys()];
  }
}
