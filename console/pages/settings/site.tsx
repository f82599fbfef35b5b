import type { Site, SiteText } from '#contract/settings.ts';
import { client } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { SelectField, TextArea, TextField } from '../../components/fields.tsx';
import { Loaded } from '../../components/states.tsx';
import { SettingView } from './appearance.tsx';
import type { Link } from './entries.ts';
import { text } from './strings.ts';
import { type SettingForm, useSetting } from './use-setting.tsx';

const LINKS_MAX = 8;

const Links = ({ form }: { readonly form: SettingForm }) => {
  const links = form.entries.links as readonly Link[];
  const set = (next: readonly Link[]) => form.set('links', next);
  return (
    <fieldset className="stack tight">
      <legend className="label">{text.site.links}</legend>
      {links.map((link, index) => {
        const number = index + 1;
        const change = (part: Partial<Link>) => set(links.toSpliced(index, 1, { ...link, ...part }));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: links have no id, and their texts change while one types
          <fieldset key={index} className="row add-entry">
            <legend className="visually-hidden">{text.site.link(number)}</legend>
            <TextField
              name={`links.${index}.label`}
              label={text.site.label}
              value={link.label}
              errors={form.errorsOf(`links.${index}.label`)}
              onChange={(label) => change({ label })}
            />
            <TextField
              name={`links.${index}.url`}
              label={text.site.url}
              value={link.url}
              errors={form.errorsOf(`links.${index}.url`)}
              onChange={(url) => change({ url })}
            />
            <Button onClick={() => set(links.toSpliced(index, 1))}>{text.site.removeLink(number)}</Button>
          </fieldset>
        );
      })}
      <div>
        <Button
          icon="add"
          isDisabled={links.length >= LINKS_MAX}
          onClick={() => set([...links, { label: '', url: '' }])}
        >
          {text.site.addLink}
        </Button>
      </div>
    </fieldset>
  );
};

const siteTexts = ['about', 'imprint', 'privacy', 'terms'] as const satisfies readonly SiteText[];

const listingTypes = Object.entries(text.site.listingTypes satisfies Record<Site['listing_type'], string>);

const lines = ['name', 'tagline', 'image_url'] as const;

/** What the directory is called and says about itself. */
export const SiteTab = () => {
  const [site, siteForm] = useSetting('site', {
    read: (signal) => client.settings.readSite({ ...(signal && { signal }) }),
    update: (body, headers) => client.settings.updateSite({ body, headers }),
  });
  return (
    <Loaded query={site}>
      {(stored) => {
        const form = siteForm(stored);
        const field = (path: string) => ({
          name: path,
          value: String(form.entries[path]),
          errors: form.errorsOf(path),
          onChange: (value: string) => form.set(path, value),
        });
        return (
          <SettingView form={form}>
            {lines.map((name) => (
              <TextField key={name} {...field(name)} label={text.site[name]} />
            ))}
            <TextArea {...field('description')} />
            <SelectField {...field('listing_type')} label={text.site.listing_type} options={listingTypes} />
            <Links form={form} />
            <h2>{text.site.texts}</h2>
            <p className="soft small">{text.site.textsHint}</p>
            {siteTexts.map((name) => (
              <TextArea key={name} {...field(`texts.${name}`)} label={text.site[name]} rows={8} />
            ))}
          </SettingView>
        );
      }}
    </Loaded>
  );
};
