"""Scrapy over all links of the seeds' hosts: no delay, no retries, no cookies, robots.txt heeded. Says `start`, then each URL whose
page it read, then `end`. Run by peers.mjs: python3 scrapy.py SEEDS-FILE. Title, text and links are taken from each page."""
import sys

# This file has the name of the package that it wants.
sys.path = [path for path in sys.path if not path.endswith("bench/peers")]

from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

with open(sys.argv[1]) as lines:
    SEEDS = lines.read().split()


class Everything(Spider):
    name = "everything"
    start_urls = SEEDS
    hosts = [urlsplit(url).hostname for url in SEEDS]
    links = LinkExtractor(
        tags=("a", "area", "frame", "iframe"), attrs=("href", "src"), deny_extensions=[], deny=[r"\?"], canonicalize=False
    )

    def parse(self, response):
        print(response.url, flush=False)
        if not isinstance(response, HtmlResponse):
            return
        response.css("title::text").get()
        " ".join(response.xpath("//body//text()").getall())
        host = urlsplit(response.url).netloc
        for link in self.links.extract_links(response):
            if urlsplit(link.url).netloc == host:
                yield Request(link.url.split("#")[0])


process = CrawlerProcess(
    {
        "LOG_ENABLED": False,
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "DOWNLOAD_DELAY": 0,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOAD_MAXSIZE": 0,
        "DOWNLOAD_WARNSIZE": 0,
        "DEPTH_LIMIT": 0,
    }
)
process.crawl(Everything)
print("start", flush=True)
process.start()
print("end", flush=True)
