import type { ReactNode } from 'react';
import { useAddress } from './address.js';

interface Tab {
  name: string;
  label: string;
  content: () => ReactNode;
}

/** Parts of a page of which one is in sight; which one stands in the address as `?tab=`. */
export function Tabs({ tabs, label }: { tabs: readonly Tab[]; label: string }) {
  const [values, change] = useAddress();
  const chosen = tabs.find(({ name }) => name === values['tab']) ?? tabs[0];
  const choose = (tab: Tab | undefined) => {
    // what the former tab kept in the address, such as its place in a list, is none of the next one's
    if (tab !== undefined) change({ tab: tab === tabs[0] ? undefined : tab.name, cursor: undefined });
  };
  return (
    <div className="tabs">
      <div role="tablist" aria-label={label}>
        {tabs.map((tab, at) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`tab-${tab.name}`}
            aria-selected={tab === chosen}
            aria-controls="tab-panel"
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => choose(tab)}
            onKeyDown={(event) => {
              const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
              if (step === 0) return;
              const next = tabs[(at + step + tabs.length) % tabs.length];
              choose(next);
              document.getElementById(`tab-${next?.name ?? ''}`)?.focus();
            }}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${chosen?.name ?? ''}`}>
        {chosen?.content()}
      </div>
    </div>
  );
}
