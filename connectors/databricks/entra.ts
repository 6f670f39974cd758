/**
 * Hosts of Microsoft Entra ID that hand out tokens, by the ends of the workspaces' hosts:
 * https://github.com/databricks/databricks-sdk-go/blob/main/common/environment/azure.go
 */
const ENTRA_HOSTS: Readonly<Record<string, string>> = {
  '.azuredatabricks.net': 'login.microsoftonline.com',
  '.databricks.azure.us': 'login.microsoftonline.us',
  '.databricks.azure.cn': 'login.chinacloudapi.cn',
};

/** Returns the host that hands out the tokens for a workspace, or undefined for a workspace outside of Azure. */
export function entraHostOf(host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  return Object.entries(ENTRA_HOSTS).find(([end]) => name.endsWith(end))?.[1];
}
