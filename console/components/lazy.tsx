import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { loadScript } from '../app/load-script.ts';
import { Loading } from './states.tsx';

/** A component whose script is loaded when it is first shown, or before. */
interface Separate<Props> {
  (props: Props): ReactNode;
  readonly preload: () => Promise<void>;
}

/**
 * Declares, for a module, a component whose script is loaded separately. React's `lazy` is not used, because `Suspense` shows
 * content no sooner than 0.3 seconds after its placeholder, and has no option for it: a component whose script takes 20 ms
 * appeared after 302 ms, and after 27 ms with this function.
 * @param placeholder is shown until the script is loaded. A script that cannot be loaded is an error of the component.
 */
export const separate = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: ReactNode,
): Separate<Props> => {
  let loaded: ComponentType<Props> | undefined;
  const preload = async (): Promise<void> => {
    loaded ??= await loadScript(load);
  };
  // biome-ignore lint/correctness/noComponentHookFactories: like `lazy`, it is called for a module, not while rendering.
  const Part = (props: Props) => {
    const [Loaded, setLoaded] = useState(() => loaded);
    const [failure, setFailure] = useState<{ readonly error: unknown }>();
    useEffect(() => {
      if (Loaded) return;
      preload().then(
        () => setLoaded(() => loaded),
        (error: unknown) => setFailure({ error }),
      );
    }, [Loaded]);
    if (failure) throw failure.error;
    return Loaded ? <Loaded {...props} /> : placeholder;
  };
  return Object.assign(Part, { preload });
};

/** The first data of a page has priority over its further scripts for this time, in milliseconds. */
const FIRST_DATA_MS = 1000;

/** How long a busy browser may postpone loading the rest of a page after that, in milliseconds. */
const IDLE_MS = 1000;

const whenIdle: (run: () => void) => unknown =
  typeof requestIdleCallback === 'function' ? (run) => requestIdleCallback(run, { timeout: IDLE_MS }) : (run) => run();

/**
 * A part of a page that its first load leaves out. Its script is fetched soon afterwards, so that the part opens at once,
 * offline too.
 * @param placeholder is shown until then.
 */
export const later = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: ReactNode = <Loading />,
): Separate<Props> => {
  const part = separate(load, placeholder);
  // A failure is reported when the part is shown.
  setTimeout(() => whenIdle(() => void part.preload().catch(() => undefined)), FIRST_DATA_MS);
  return part;
};
