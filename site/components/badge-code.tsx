import { useSite } from '../context.ts';
import { Icon } from './icons.tsx';

/** The badge of a listing, and the HTML that shows it on another site. */
export const BadgeCode = ({ src, code }: { readonly src: string; readonly code: string }) => {
  const { t } = useSite();
  return (
    <details class="report badge-code">
      <summary>
        <Icon name="arrow" />
        {t('project.badge')}
      </summary>
      <p>
        <img src={src} alt="" height={20} loading="lazy" />
      </p>
      <p class="soft small">{t('project.badge.how')}</p>
      <code dir="ltr">{code}</code>
    </details>
  );
};
