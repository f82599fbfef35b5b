import { Dialog } from '../components/dialog.tsx';
import { Checkbox } from '../components/fields.tsx';
import * as strings from '../strings.ts';
import { activeKeys, isMac } from './keys.tsx';
import { hasShortcuts } from './preferences.ts';
import { useStore } from './store.ts';

const shown = (key: string): string => key.replace('$mod+', isMac ? '⌘ ' : 'Ctrl ');

/** All shortcuts that work on the present page. */
export const Shortcuts = ({ onClose }: { readonly onClose: () => void }) => {
  const active = useStore(activeKeys);
  return (
    <Dialog title={strings.shell.shortcuts} isWide onClose={onClose}>
      <Checkbox
        label={strings.shell.shortcutsOn}
        isChecked={useStore(hasShortcuts)}
        onChange={(isOn) => hasShortcuts.set(isOn)}
      />
      <div className="grid">
        {(['here', 'everywhere'] as const).map((scope) => (
          <section key={scope} className="stack tight">
            <h3>{strings.shell[scope]}</h3>
            <dl className="facts">
              {active
                .filter((entry) => entry.scope === scope)
                .flatMap(({ keys }) => Object.entries(keys))
                .map(([key, { label }]) => (
                  <div key={key} className="contents">
                    <dt>
                      <kbd>{shown(key)}</kbd>
                    </dt>
                    <dd>{label}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
};
