/** An implementation of an extension point with the id of its plugin. */
export interface PluginImplementation<T> {
  readonly id: string;
  readonly run: T;
}
