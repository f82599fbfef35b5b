import { Aws, CfnOutput, Duration } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard, type IWidget, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { functionRows } from '#lib/dashboard/functions.ts';
import { GRAPH_WIDTH } from '#lib/dashboard/graph.ts';
import type { DashboardInputs } from '#lib/dashboard/inputs.ts';
import { overview } from '#lib/dashboard/overview.ts';

const COLUMNS = 24;

const heading = (markdown: string): IWidget => new TextWidget({ markdown, width: COLUMNS, height: 2 });

/** The dashboard of a stage: alarms, overview, and rows for every function. */
export class StageDashboard extends Construct {
  constructor(scope: Construct, id: string, inputs: DashboardInputs) {
    super(scope, id);
    const { stage } = inputs.config;
    const page = new Dashboard(this, 'Page', { defaultInterval: Duration.hours(12) });
    page.addWidgets(
      heading(`# Directory, stage ${stage}\nThe description of each alarm names its section of \`docs/runbook.md\`.`),
    );
    page.addWidgets(
      ...[...inputs.alarms].map(
        ([title, alarms]) => new AlarmStatusWidget({ title, alarms: [...alarms], width: GRAPH_WIDTH, height: 6 }),
      ),
    );
    for (const row of overview(inputs)) page.addWidgets(...row);
    page.addWidgets(heading('## Functions\nBy domain; jobs are the domain `cron`.'));
    for (const row of functionRows(inputs)) page.addWidgets(...row);
    new CfnOutput(this, 'Address', {
      description: 'The page of graphs.',
      value: `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/${page.dashboardName}`,
    });
  }
}
