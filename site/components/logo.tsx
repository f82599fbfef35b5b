import { useSite } from '../context.ts';
import { hueOf, initialsOf, shownImage } from '../images.ts';

/** The logo of a listing; without one, initials on a colour that the name decides. */
export const Logo = ({
  url,
  name,
  size = 48,
  eager = false,
}: {
  readonly url: string | null;
  readonly name: string;
  readonly size?: 32 | 48 | 96;
  readonly eager?: boolean;
}) => {
  const { origin } = useSite();
  const image = shownImage(url, origin);
  return (
    <span class={`logo size-${size} hue-${hueOf(name)}`} aria-hidden="true">
      {image === undefined ? (
        initialsOf(name)
      ) : (
        <img
          src={image}
          alt=""
          width={size}
          height={size}
          loading={eager ? 'eager' : 'lazy'}
          decoding="async"
          referrerpolicy="no-referrer"
        />
      )}
    </span>
  );
};
