//! Methods of the lab's app in which a lab file can plant what holds main up, and how the phone's symbols name them
//! with those who call them. The phone tells none of the words of a lab file.

use schemars::JsonSchema;
use serde::Deserialize;

/// A method of the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// `Thumb.decode`, called by `FeedAdapter.bind`: it runs code of the platform.
    ThumbDecode,
    /// `Json.parse`, called by `FeedLoader.onReply`: it is interpreted.
    JsonParse,
    /// `Prices.format`, called by `FeedAdapter.bind`.
    PriceFormat,
    /// `Net.await`, called by `FeedLoader.load`: it waits for an object.
    NetAwait,
    /// `Settings.save`, called by `FeedActivity.onPause`: it waits for a latch.
    SettingsSave,
}

impl Method {
    /// Every one.
    pub const ALL: [Method; 5] =
        [Method::ThumbDecode, Method::JsonParse, Method::PriceFormat, Method::NetAwait, Method::SettingsSave];

    /// The method, and the one of the app that called it.
    pub fn of_app(self) -> [&'static str; 2] {
        match self {
            Method::ThumbDecode => ["com.example.shop.Thumb.decode", "com.example.shop.FeedAdapter.bind"],
            Method::JsonParse => ["com.example.shop.Json.parse", "com.example.shop.FeedLoader.onReply"],
            Method::PriceFormat => ["com.example.shop.Prices.format", "com.example.shop.FeedAdapter.bind"],
            Method::NetAwait => ["com.example.shop.Net.await", "com.example.shop.FeedLoader.load"],
            Method::SettingsSave => {
                ["com.example.shop.Settings.save", "com.example.shop.FeedActivity.onPause"]
            }
        }
    }

    /// What it calls itself, the innermost first.
    pub fn inside(self) -> &'static [&'static str] {
        match self {
            Method::ThumbDecode => &[
                "android.graphics.BitmapFactory.nativeDecodeStream",
                "android.graphics.BitmapFactory.decodeStream",
            ],
            Method::JsonParse => &[],
            Method::PriceFormat => &["java.text.DecimalFormat.subformat", "java.text.NumberFormat.format"],
            Method::NetAwait => &["java.lang.Object.wait"],
            Method::SettingsSave => {
                &["jdk.internal.misc.Unsafe.park", "java.util.concurrent.CountDownLatch.await"]
            }
        }
    }
}
