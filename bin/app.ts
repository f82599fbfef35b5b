import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { freshBundles } from '#lib/bundle.ts';
import { configOf } from '#lib/config.ts';
import { stacksOf } from '#lib/stacks.ts';

const app = new App();
const config = configOf(app.node.tryGetContext('stage'));
await freshBundles();
stacksOf(app, config);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
