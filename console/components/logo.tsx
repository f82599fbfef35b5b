import { useState } from 'react';
import { showsImages } from '../app/preferences.ts';
import { useStore } from '../app/store.ts';

/** Whether the policy of the console lets an image be loaded. */
export const isLoadable = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'https:' || parsed?.origin === location.origin;
};

/** The logo of a listing, or the first letter of its name while there is none, it fails, or images are switched off. */
export const Logo = ({
  url,
  name,
  isLarge = false,
}: {
  readonly url: string | null;
  readonly name: string;
  readonly isLarge?: boolean;
}) => {
  const [failed, setFailed] = useState<string | null>(null);
  const isShown = useStore(showsImages) && url !== null && isLoadable(url) && failed !== url;
  const [initial = ''] = name.trim();
  return (
    <span className={isLarge ? 'logo large' : 'logo'} aria-hidden>
      {isShown ? (
        <img src={url} alt="" loading="lazy" referrerPolicy="no-referrer" onError={() => setFailed(url)} />
      ) : (
        initial.toUpperCase()
      )}
    </span>
  );
};
