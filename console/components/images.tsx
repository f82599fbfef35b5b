import { useState } from 'react';
import { showsImages } from '../app/preferences.ts';
import { useStore } from '../app/store.ts';
import * as strings from '../strings.ts';
import { isLoadable } from './logo.tsx';

const Image = ({ url }: { readonly url: string }) => {
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed) return <span className="field-error">{strings.listing.noImage(url)}</span>;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      <img
        src={url}
        alt={strings.listing.imageOf(url)}
        loading="lazy"
        referrerPolicy="no-referrer"
        onError={() => setFailed(true)}
      />
    </a>
  );
};

/** The images at addresses that are being edited, unless images are switched off. */
export const Images = ({ urls }: { readonly urls: readonly string[] }) => {
  const shown = urls.filter((url) => isLoadable(url));
  if (!useStore(showsImages) || shown.length === 0) return null;
  return (
    <span className="images">
      {shown.map((url) => (
        <Image key={url} url={url} />
      ))}
    </span>
  );
};
