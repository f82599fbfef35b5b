import type { Category } from '#contract/categories.ts';
import { Logo } from '../../components/logo.tsx';

/** The longest icon that is shown as text, such as an emoji; a longer one is a name that the site resolves. */
const TEXT_MAX = 4;

const isAddress = (icon: string): boolean => /^https?:/i.test(icon);

/** The icon of a category in its colour. */
export const CategoryIcon = ({
  category: { name, icon, color },
}: {
  readonly category: Pick<Category, 'name' | 'icon' | 'color'>;
}) => (
  <span className="category-icon" style={{ borderColor: color ?? 'transparent' }}>
    <Logo
      url={icon !== null && isAddress(icon) ? icon : null}
      name={icon !== null && !isAddress(icon) && [...icon].length <= TEXT_MAX ? icon : name}
    />
  </span>
);
