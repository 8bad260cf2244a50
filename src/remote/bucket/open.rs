//! Opens a place in object storage. Everything but bucket and prefix comes from the environment, under the names that each
//! store's own tools use.

use super::BucketUrl;
use crate::remote::bucket_url::CloudKind;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, Checksum};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;

/// How often a request is repeated. The delay between two tries grows and is partly random.
const RETRIES: usize = 5;
/// The time limit for a part of 8 MiB, unless the environment sets another one: half a megabit per second.
const TIMEOUT: &str = "120 seconds";

/// The client of the bucket. It has sent no request yet.
pub(super) fn open(url: &BucketUrl) -> object_store::Result<Arc<dyn ObjectStore>> {
    match url.kind {
        CloudKind::S3 => s3(url),
        CloudKind::Google => google(url),
        CloudKind::Azure => azure(url),
    }
}

fn s3(url: &BucketUrl) -> object_store::Result<Arc<dyn ObjectStore>> {
    let key = AmazonS3ConfigKey::Client(ClientConfigKey::Timeout);
    let builder = AmazonS3Builder::from_env();
    let builder = if builder.get_config_value(&key).is_some() { builder } else { builder.with_config(key, TIMEOUT) };
    // the store hashes received data and refuses data that was changed on the way
    let builder = builder.with_checksum_algorithm(Checksum::SHA256).with_bucket_name(url.bucket.as_str());
    Ok(Arc::new(builder.with_retry(retry()).build()?))
}

fn google(url: &BucketUrl) -> object_store::Result<Arc<dyn ObjectStore>> {
    let key = GoogleConfigKey::Client(ClientConfigKey::Timeout);
    let builder = GoogleCloudStorageBuilder::from_env();
    let builder = if builder.get_config_value(&key).is_some() { builder } else { builder.with_config(key, TIMEOUT) };
    Ok(Arc::new(builder.with_bucket_name(url.bucket.as_str()).with_retry(retry()).build()?))
}

fn azure(url: &BucketUrl) -> object_store::Result<Arc<dyn ObjectStore>> {
    let key = AzureConfigKey::Client(ClientConfigKey::Timeout);
    let builder = MicrosoftAzureBuilder::from_env();
    let builder = if builder.get_config_value(&key).is_some() { builder } else { builder.with_config(key, TIMEOUT) };
    Ok(Arc::new(builder.with_container_name(url.bucket.as_str()).with_retry(retry()).build()?))
}

fn retry() -> RetryConfig {
    RetryConfig { backoff: BackoffConfig::default(), max_retries: RETRIES, retry_timeout: Duration::from_secs(180) }
}
